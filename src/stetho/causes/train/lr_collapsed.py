"""A schedule or warm-up leaves the learning rate at about zero.

## What happens
The first steps learn, then the rate is gone and so is learning.

## How it is told apart
The rate in force falls by orders of magnitude in the first half of the run. A rate that is too low from the
start is constant.

## How it is fixed
Step the schedule in its own unit, or give it the right number of steps.
"""

from stetho.cause import Cause

lr_collapsed = Cause(
    id="train/lr-collapsed",
    share=0.08,
    context={"changing-rate": (1.8, 0.05)},
    symptoms={"loss-flat": 0.30, "none": 0.35, "loss-slow": 0.30},
    predicts={
        "rate-collapsed": 0.95,
        "learning-ends-with-rate": 0.70,
        "updates-too-small": 0.30,
        "lr=x10": {"symptom-gone": 0.20, "better": 0.35, "same": 0.35, "worse": 0.08, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.30, "better": 0.30, "same": 0.25, "worse": 0.10, "new-failure": 0.05},
    },
    mechanism=("rate-collapsed", "learning-ends-with-rate"),
    statement="the schedule takes the learning rate away long before the run ends",
    test="hold the rate constant: if nothing improves, it is not this",
    fix="step the schedule in its own unit (per epoch or per batch), or give it the right number of steps",
)
