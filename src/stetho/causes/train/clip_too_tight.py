"""Gradient clipping fires at every step and throttles learning.

## What happens
The largest allowed norm is far below the usual gradient, so that the clip decides the step size.

## How it is told apart
Clipping fires at nearly every step and a step moves the parameters by far less than a ten-thousandth.

## How it is fixed
Raise the limit to a little above the usual gradient norm.
"""

from stetho.cause import Cause

clip_too_tight = Cause(
    id="train/clip-too-tight",
    share=0.04,
    context={"clipped-gradients": (1.5, 0.02)},
    symptoms={"loss-flat": 0.45, "loss-slow": 0.25, "none": 0.25},
    predicts={
        "always-clipped": 0.95,
        "clip-below-gradients": 0.80,
        "norm-held-constant": 0.50,
        "updates-too-small": 0.85,
        "clip=off": {"symptom-gone": 0.75, "better": 0.18, "same": 0.04, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.40, "better": 0.40, "same": 0.17, "worse": 0.02, "new-failure": 0.01},
        "lr=x100": {"symptom-gone": 0.70, "better": 0.20, "same": 0.05, "worse": 0.03, "new-failure": 0.02},
        "lr=x1000": {"symptom-gone": 0.55, "better": 0.20, "same": 0.05, "worse": 0.10, "new-failure": 0.10},
    },
    mechanism=("always-clipped", "clip-below-gradients", "norm-held-constant"),
    statement="clipping fires at every step and leaves almost nothing of the update",
    test="switch clipping off: if nothing improves, it is not this",
    trial="clip=off",
    fix="raise max_norm to a little above the usual gradient norm",
)
