"""A schedule that counts epochs is stepped per batch, or the reverse.

## What happens
A decay over fifty epochs is over after fifty batches; the rest of the run has no rate. Or a warm-up over five hundred
batches is stepped once an epoch, and the run ends before it does.

## How it is told apart
Called at every batch, the schedule leaves nothing of the rate within the first epochs, and called once an epoch it
would not; or the reverse. Held at its full height, the rate teaches. Where the rate ends early for another reason, it
is train/lr-collapsed.

## How it is fixed
Step the schedule once per epoch, or give it the number of batches.
"""

from stetho.cause import Cause

scheduler_unit = Cause(
    id="train/scheduler-unit",
    share=0.07,
    context={"changing-rate": (1.8, 0.1)},
    symptoms={"loss-slow": 0.20, "loss-flat": 0.28, "metric-stuck": 0.05, "none": 0.45},
    predicts={
        "schedule-counted-in-steps": 0.92,
        "schedule-in-other-unit": 0.98,
        "learning-ends-with-rate": 0.15,
        "rate-collapsed": 0.03,
        "rate-never-arrives": 0.03,
        "updates-too-small": 0.12,
        "constant-lr=full": {"symptom-gone": 0.72, "better": 0.20, "same": 0.03, "worse": 0.03, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.20, "better": 0.35, "same": 0.35, "worse": 0.08, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.25, "better": 0.30, "same": 0.25, "worse": 0.12, "new-failure": 0.08},
        "lr=x1000": {"symptom-gone": 0.30, "better": 0.20, "same": 0.20, "worse": 0.15, "new-failure": 0.15},
        "one-batch": {"symptom-gone": 0.05, "better": 0.15, "same": 0.75, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("schedule-in-other-unit", "schedule-counted-in-steps"),
    statement="the schedule is stepped in the wrong unit: made for epochs and called at every batch, or the reverse",
    test="hold the rate at its full height: if nothing improves, it is not this",
    fix="step the schedule in its own unit, or give it the number of batches",
    trial="constant-lr=full",
)
