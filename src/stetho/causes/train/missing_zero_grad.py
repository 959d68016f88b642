"""Gradients are never cleared, so each step follows the sum of all gradients so far.

## What happens
`backward` adds to what is there. Without a reset, the gradient is a sum over the whole past: like a
momentum of one. The loss falls at first, then swings or diverges; with an adaptive optimizer it learns badly.

## How it is told apart
The gradient that one step used is still there when the next backward begins. Dividing the learning rate
calms it, too, which is why that proves nothing.

## How it is fixed
Call `optimizer.zero_grad()` once per step, before backward.
"""

from stetho.cause import Cause

missing_zero_grad = Cause(
    id="train/missing-zero-grad",
    share=0.12,
    symptoms={
        "loss-oscillating": 0.17, "loss-diverging": 0.25, "loss-nonfinite": 0.10, "loss-flat": 0.15, "none": 0.24,
        "loss-slow": 0.02,
        "loss-spike": 0.04,
    },
    predicts={
        "gradients-kept": 0.98,
        "updates-too-large": 0.35,
        "zero-grad": {"symptom-gone": 0.70, "better": 0.22, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "clip=1": {"symptom-gone": 0.15, "better": 0.25, "same": 0.45, "worse": 0.13, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.45, "better": 0.25, "same": 0.20, "worse": 0.08, "new-failure": 0.02},
        "lr=x0.01": {"symptom-gone": 0.45, "better": 0.20, "same": 0.20, "worse": 0.13, "new-failure": 0.02},
    },
    mechanism=("gradients-kept",),
    statement="gradients accumulate over steps because nothing clears them",
    test="clear the gradients before each backward: if nothing improves, it is not this",
    fix="call optimizer.zero_grad() once per step, before backward",
    trial="zero-grad",
)  # fmt: skip
