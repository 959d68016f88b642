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
    share=0.05,
    symptoms={"loss-flat": 0.45, "loss-slow": 0.25, "none": 0.25},
    predicts={"always-clipped": 0.95, "updates-too-small": 0.85},
    mechanism=("always-clipped",),
    statement="clipping fires at every step and leaves almost nothing of the update",
    test="switch clipping off: if nothing improves, it is not this",
    fix="raise max_norm to a little above the usual gradient norm",
)
