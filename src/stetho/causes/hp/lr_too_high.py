"""The learning rate is too high for this model and data.

## What happens
Steps overshoot: the loss swings, rises, or turns into NaN.

## How it is told apart
Single steps change the parameters by a large part of their norm, and the same run at a smaller rate learns.
That alone proves little: a smaller rate also calms a missing zero_grad, a sum reduction and unnormalised
inputs. Those must be ruled out first, each by its own evidence.

## How it is fixed
A rate three to ten times smaller; warm-up when only the beginning is unstable.
"""

from stetho.cause import Cause

lr_too_high = Cause(
    id="hp/lr-too-high",
    share=0.30,
    symptoms={
        "loss-nonfinite": 0.17, "loss-diverging": 0.24, "crash": 0.03,
        "loss-spike": 0.15, "loss-oscillating": 0.19, "loss-flat": 0.16, "none": 0.06,
    },
    predicts={
        "updates-too-large": 0.92,
        "loss-swings-back": 0.50,
        "rate-keeps-loss-up": 0.50,
        "gradient-run-up": 0.25,
        "loss-run-up": 0.75,
        "log-at-zero": 0.05,
        "warmup": {"symptom-gone": 0.05, "better": 0.12, "same": 0.62, "worse": 0.15, "new-failure": 0.06},
        "clip=1": {"symptom-gone": 0.06, "better": 0.14, "same": 0.62, "worse": 0.12, "new-failure": 0.06},
        "noise-outweighs-gradient": 0.04,
        "averaged-gradients": {"symptom-gone": 0.10, "better": 0.16, "same": 0.50, "worse": 0.16, "new-failure": 0.08},
        "lr=x0.1": {"symptom-gone": 0.74, "better": 0.18, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "lr=x0.01": {"symptom-gone": 0.74, "better": 0.15, "same": 0.05, "worse": 0.05, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.01, "better": 0.02, "same": 0.45, "worse": 0.30, "new-failure": 0.22},
        # What can be told by a line is learned at many a rate that leaves the real task at chance.
        "synthetic": {"symptom-gone": 0.25, "better": 0.20, "same": 0.40, "worse": 0.10, "new-failure": 0.05},
        "one-batch": {"symptom-gone": 0.15, "better": 0.25, "same": 0.45, "worse": 0.10, "new-failure": 0.05},
    },
    mechanism=("updates-too-large", "loss-swings-back", "rate-keeps-loss-up"),
    statement="the learning rate is too high: single steps overshoot",
    test="divide the rate by ten: if the symptom stays, it is not this",
    fix="use a smaller learning rate",
    trial="lr=x0.1",
)  # fmt: skip
