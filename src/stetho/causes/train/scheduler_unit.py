"""A schedule that counts epochs is stepped per batch, or the reverse.

## What happens
A decay over fifty epochs is over after fifty batches; the rest of the run has no rate.

## How it is told apart
The step at which the rate ends is the number of epochs that was set. Where it ends early for another reason, it is
train/lr-collapsed.

## How it is fixed
Step the schedule once per epoch, or give it the number of batches.
"""

from stetho.cause import Cause

scheduler_unit = Cause(
    id="train/scheduler-unit",
    share=0.02,
    context={"changing-rate": (1.8, 0.1)},
    symptoms={"loss-slow": 0.5, "loss-flat": 0.25, "none": 0.22},
    predicts={"schedule-counted-in-steps": 0.92, "learning-ends-with-rate": 0.70},
    mechanism=("schedule-counted-in-steps",),
    statement="a schedule that counts epochs is stepped at every batch",
    test="step the schedule once per epoch: if the rate still ends as early, it is not this",
    fix="step the schedule in its own unit, or give it the number of batches",
)
