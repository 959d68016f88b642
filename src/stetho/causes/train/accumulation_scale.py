"""Gradients of several batches are added up for one step and not divided.

## What happens
Each step is too large by the number of batches: the loss swings, jumps or diverges, as with a rate that is too high.

## How it is told apart
Several backwards are called for a step, each on the whole loss of its batch. Divided by their number, the gradients
make the run calm at the same rate.

## How it is fixed
Divide the loss by the number of batches before backward.
"""

from stetho.cause import Cause

accumulation_scale = Cause(
    id="train/accumulation-scale",
    context={"micro-batches": (4.0, 0.1)},
    share=0.05,
    symptoms={
        "loss-oscillating": 0.20, "loss-diverging": 0.18, "loss-nonfinite": 0.15, "loss-spike": 0.06,
        "loss-flat": 0.12, "loss-slow": 0.05, "none": 0.20,
    },
    predicts={
        "accumulated-undivided": 0.80,
        "updates-too-large": 0.60,
        "loss-swings-back": 0.40,
        "loss-run-up": 0.40,
        "mean-gradients": {"symptom-gone": 0.52, "better": 0.36, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
        "clip=1": {"symptom-gone": 0.25, "better": 0.25, "same": 0.38, "worse": 0.10, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.60, "better": 0.25, "same": 0.10, "worse": 0.04, "new-failure": 0.01},
        "lr=x0.01": {"symptom-gone": 0.45, "better": 0.25, "same": 0.15, "worse": 0.14, "new-failure": 0.01},
    },
    mechanism=("accumulated-undivided",),
    statement="gradients of several batches are added up for each step and not divided by their number",
    test="divide the gradients by the number of backwards: if nothing improves, it is not this",
    fix="divide the loss by the number of batches that are added up",
    trial="mean-gradients",
)  # fmt: skip
