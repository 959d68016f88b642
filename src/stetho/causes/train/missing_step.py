"""The optimizer does not step, or only once in a long while.

## What happens
Backward makes gradients, and nothing uses them: the loss stays where it began. Where the step stands outside of the
loop, one gradient in many is used.

## How it is told apart
Many backwards are called for each step, or there is none at all. A step after each backward learns.

## How it is fixed
Call `optimizer.step()` once per batch, after backward.
"""

from stetho.cause import Cause

missing_step = Cause(
    id="train/missing-step",
    share=0.05,
    # A step outside of its loop has the backwards of the whole loop.
    context={"micro-batches": (2.0, 0.7)},
    symptoms={"loss-flat": 0.45, "loss-slow": 0.05, "none": 0.40, "metric-stuck": 0.03, "overfitting": 0.03},
    predicts={
        "gradients-unused": 0.95,
        "step-each": {"symptom-gone": 0.66, "better": 0.28, "same": 0.03, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.05, "better": 0.10, "same": 0.78, "worse": 0.05, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.05, "better": 0.10, "same": 0.76, "worse": 0.07, "new-failure": 0.02},
    },
    mechanism=("gradients-unused",),
    statement="backward makes gradients that no step of the optimizer uses",
    test="step after each backward: if nothing improves, it is not this",
    fix="call optimizer.step() after backward, once per batch",
    trial="step-each",
)
