"""Gradients are cleared between backward and step.

## What happens
The optimizer steps on nothing: what it holds is not learned, whatever the learning rate. With several optimizers it
may be the part of one of them only; with several backwards for one step, only the last of them trains.

## How it is told apart
The loss reaches the parameters, and at the step their gradients are gone. Given back just before the step, they are
used, and the model learns.

## How it is fixed
Clear the gradients before backward, or after all steps.
"""

from stetho.cause import Cause

grads_wiped = Cause(
    id="train/grads-wiped",
    share=0.04,
    symptoms={"loss-flat": 0.58, "loss-slow": 0.06, "none": 0.28, "metric-stuck": 0.03, "loss-oscillating": 0.01},
    predicts={
        "gradients-lost": 0.95,
        "gradients-zero": 0.70,
        "one-loss-stands-still": 0.50,
        "updates-too-small": 0.30,
        "keep-gradients": {"symptom-gone": 0.60, "better": 0.34, "same": 0.03, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.05, "same": 0.86, "worse": 0.05, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.02, "better": 0.05, "same": 0.81, "worse": 0.07, "new-failure": 0.05},
        "one-batch": {"symptom-gone": 0.02, "better": 0.06, "same": 0.88, "worse": 0.02, "new-failure": 0.02},
    },
    mechanism=("gradients-lost",),
    statement="the optimizer steps on gradients that were cleared after backward",
    test="keep the gradients of backward until the step: if nothing improves, it is not this",
    fix="call zero_grad before backward or after the last step, not between them",
    trial="keep-gradients",
)
