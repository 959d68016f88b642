"""Gradients grow without bound.

## What happens
Many layers or time steps multiply the gradient. Where the product is above one, it is huge from the first step on, or a
small move of the weights meets a gradient hundreds of times larger than before; the update then throws the model out,
often into NaN.

## How it is told apart
The loss is steep before the rate could have done anything, or the gradient jumps after steps that hardly moved the
weights. Clipping calms it at the same learning rate. Where a smaller rate alone does, it is hp/lr-too-high; where
ordinary initial weights or standardised inputs do, it is those.

## How it is fixed
Clip the gradient norm; normalisation or gates in deep and recurrent models.
"""

from stetho.cause import Cause

exploding_gradients = Cause(
    id="num/exploding-gradients",
    share=0.18,
    # A norm that is limited already cannot throw the model out.
    context={"clipped-gradients": (0.15, 1.2)},
    symptoms={
        "loss-nonfinite": 0.42, "loss-diverging": 0.15, "gradients-exploding": 0.08, "crash": 0.08, "loss-spike": 0.07,
        "loss-oscillating": 0.03, "loss-flat": 0.04, "none": 0.12,
    },
    predicts={
        "gradient-run-up": 0.50,
        "loss-run-up": 0.80,
        "steep-at-once": 0.70,
        "gradient-jumps": 0.50,
        "updates-too-large": 0.45,
        "clip=1": {"symptom-gone": 0.62, "better": 0.30, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.07, "better": 0.15, "same": 0.53, "worse": 0.15, "new-failure": 0.10},
        "lr=x0.01": {"symptom-gone": 0.07, "better": 0.25, "same": 0.43, "worse": 0.20, "new-failure": 0.05},
        "warmup": {"symptom-gone": 0.15, "better": 0.15, "same": 0.55, "worse": 0.10, "new-failure": 0.05},
        "fresh-weights": {"symptom-gone": 0.06, "better": 0.06, "same": 0.70, "worse": 0.12, "new-failure": 0.06},
    },
    mechanism=("steep-at-once", "gradient-jumps", "gradient-run-up", "loss-run-up"),
    statement="gradients grow without bound",
    test="clip the gradient norm at 1: if the symptom stays, it is not this",
    fix="clip the gradient norm, and check initialisation and depth",
    trial="clip=1",
    outdoes="lr=x0.1",
)  # fmt: skip
