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
    share=0.12,
    symptoms={"loss-flat": 0.55, "gradients-vanishing": 0.25, "loss-slow": 0.1, "none": 0.08},
    predicts={
        "early-layers-starved": 0.95,
        "skips": {"symptom-gone": 0.55, "better": 0.33, "same": 0.08, "worse": 0.03, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.03, "better": 0.08, "same": 0.70, "worse": 0.16, "new-failure": 0.03},
        "lr=x100": {"symptom-gone": 0.03, "better": 0.07, "same": 0.65, "worse": 0.18, "new-failure": 0.07},
        "one-batch": {"symptom-gone": 0.10, "better": 0.20, "same": 0.65, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("early-layers-starved",),
    statement="next to nothing of the gradient reaches the first layers",
    test="use activations that do not saturate, or skips: if the first layers still get nothing, it is not this",
    fix="use ReLU-like activations, normalisation, skips, and an initialisation that fits them",
    trial="skips",
)
