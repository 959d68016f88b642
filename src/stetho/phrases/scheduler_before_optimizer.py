"""torch says that the schedule was stepped before the optimizer.

## What it tells
That the first value of the schedule was skipped, or that steps were skipped by a gradient scaler.

## What it does not tell
Whether it matters: for one step at the start it does not.
"""

from stetho.phrase import Phrase

scheduler_before_optimizer = Phrase(
    id="scheduler-before-optimizer",
    says="the schedule was stepped before the optimizer",
    words=("lr_scheduler.step",),
    patterns=(r"call of `lr_scheduler\.step\(\)` before `optimizer\.step\(\)`",),
    fires=("UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.",),
    quiet=("scheduler: cosine",),
)
