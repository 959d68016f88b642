"""The learning rate is too low: it learns, far too slowly.

## What happens
Each step is right and tiny; the run ends before it has learned anything to speak of.

## How it is told apart
All steps of the run together move the parameters by a few percent of their norm at most, at a rate that was
never larger, and a larger rate learns. A rate that a schedule took away, clipping and vanishing gradients
look alike from outside.

## How it is fixed
A rate ten or more times larger.
"""

from stetho.cause import Cause

lr_too_low = Cause(
    id="hp/lr-too-low",
    share=0.22,
    symptoms={"loss-flat": 0.50, "loss-slow": 0.36, "loss-high": 0.09, "none": 0.01},
    predicts={
        "updates-too-small": 0.96,
        "lr=x10": {"symptom-gone": 0.45, "better": 0.40, "same": 0.13, "worse": 0.01, "new-failure": 0.01},
        "lr=x100": {"symptom-gone": 0.75, "better": 0.18, "same": 0.03, "worse": 0.03, "new-failure": 0.01},
        "lr=x1000": {"symptom-gone": 0.60, "better": 0.15, "same": 0.05, "worse": 0.10, "new-failure": 0.10},
        "lr=x0.1": {"symptom-gone": 0.01, "better": 0.01, "same": 0.60, "worse": 0.37, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.03, "better": 0.10, "same": 0.83, "worse": 0.02, "new-failure": 0.02},
    },
    mechanism=("updates-too-small",),
    statement="the learning rate is too low: the whole run hardly moves the parameters",
    test="multiply the rate by a hundred: if nothing improves, it is not this",
    fix="use a larger learning rate",
    trial="lr=x100",
)
