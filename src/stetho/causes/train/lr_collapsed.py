"""A schedule or warm-up leaves the learning rate at about zero.

## What happens
The first steps learn, then the rate is gone and so is learning.

## How it is told apart
The rate in force falls by orders of magnitude in the first half of the run, or a schedule keeps it far below what the
program names. A rate that is too low from the start is constant. Held at its full height, the rate teaches.

## How it is fixed
Step the schedule in its own unit, or give it the right number of steps.
"""

from stetho.cause import Cause

lr_collapsed = Cause(
    id="train/lr-collapsed",
    share=0.05,
    context={"changing-rate": (1.8, 0.05)},
    symptoms={"loss-flat": 0.28, "none": 0.45, "loss-slow": 0.25},
    predicts={
        "rate-collapsed": 0.95,
        "learning-ends-with-rate": 0.70,
        "rate-never-arrives": 0.60,
        "no-rate-at-all": 0.50,
        "updates-too-small": 0.20,
        "always-clipped": 0.05,
        "constant-lr=full": {"symptom-gone": 0.70, "better": 0.22, "same": 0.03, "worse": 0.03, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.20, "better": 0.35, "same": 0.35, "worse": 0.08, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.30, "better": 0.30, "same": 0.25, "worse": 0.10, "new-failure": 0.05},
        "lr=x1000": {"symptom-gone": 0.30, "better": 0.20, "same": 0.20, "worse": 0.15, "new-failure": 0.15},
        "one-batch": {"symptom-gone": 0.05, "better": 0.15, "same": 0.75, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("rate-collapsed", "learning-ends-with-rate", "rate-never-arrives", "no-rate-at-all"),
    statement="the schedule takes the learning rate away long before the run ends",
    test="hold the rate at its full height: if nothing improves, it is not this",
    fix="step the schedule in its own unit (per epoch or per batch), or give it the right number of steps",
    trial="constant-lr=full",
)
