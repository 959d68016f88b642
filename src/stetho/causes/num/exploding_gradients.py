"""Gradients grow without bound.

## What happens
Many layers or time steps multiply the gradient; it grows from step to step until the update throws the model out,
often into NaN.

## How it is told apart
Clipping calms it at the same learning rate. Where a smaller rate alone does, it is hp/lr-too-high.

## How it is fixed
Clip the gradient norm; normalisation or gates in deep and recurrent models.
"""

from stetho.cause import Cause

exploding_gradients = Cause(
    id="num/exploding-gradients",
    share=0.18,
    symptoms={
        "loss-nonfinite": 0.45, "loss-diverging": 0.20, "gradients-exploding": 0.15, "crash": 0.14, "loss-spike": 0.05,
    },
    predicts={"gradient-run-up": 0.70, "loss-run-up": 0.80},
    mechanism=("gradient-run-up", "loss-run-up"),
    statement="gradients grow without bound",
    test="clip the gradient norm at 1: if the symptom stays, it is not this",
    fix="clip the gradient norm, and check initialisation and depth",
)  # fmt: skip
