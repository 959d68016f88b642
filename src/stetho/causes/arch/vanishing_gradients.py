"""The gradient shrinks from layer to layer until the first ones get nothing.

## What happens
Saturating activations, or weights that are too small, take away a part of the gradient at each layer. Through many
layers without skips nothing is left; the first layers stay random and the loss hardly leaves chance.

## How it is told apart
The norms of the gradient fall with the depth by orders of magnitude. A rate that is too low leaves all layers alike.

## How it is fixed
Activations that do not saturate, normalisation, skips, and an initialisation that fits.
"""

from stetho.cause import Cause

vanishing_gradients = Cause(
    id="arch/vanishing-gradients",
    share=0.1,
    symptoms={"loss-flat": 0.55, "gradients-vanishing": 0.25, "loss-slow": 0.1, "none": 0.08},
    predicts={"early-layers-starved": 0.95},
    mechanism=("early-layers-starved",),
    statement="next to nothing of the gradient reaches the first layers",
    test="use activations that do not saturate, or skips: if the first layers still get nothing, it is not this",
    fix="use ReLU-like activations, normalisation, skips, and an initialisation that fits them",
)
