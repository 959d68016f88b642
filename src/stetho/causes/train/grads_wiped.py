"""Gradients are cleared between backward and step.

## What happens
The optimizer steps on zeros: nothing is learned, whatever the learning rate.

## How it is told apart
The gradient is exactly zero at every step, although the loss depends on the parameters.

## How it is fixed
Clear the gradients before backward, or after step.
"""

from stetho.cause import Cause

grads_wiped = Cause(
    id="train/grads-wiped",
    share=0.06,
    symptoms={"loss-flat": 0.83, "none": 0.08, "loss-slow": 0.02, "metric-stuck": 0.04},
    predicts={"gradients-zero": 0.95, "updates-too-small": 0.05},
    mechanism=("gradients-zero",),
    statement="the optimizer steps on gradients that were cleared after backward",
    test="keep the gradients of backward until the step: if nothing improves, it is not this",
    fix="call zero_grad before backward or after step, not between them",
)
