"""The same run again, same seed, with every operation watched around the step where it failed.

## What changes
Nothing in the training. From two steps before the failure on, each operation and each gradient is checked
for the first NaN or Inf.

## How it is known
The failure comes back at the same step.

## What it tells
Which operation, at which line, in which direction, first turned finite numbers into something else.

## When it says nothing
The failure does not come back at the same step, because two runs with one seed differ.
"""

from __future__ import annotations

from typing import Any

kind = "smoke"
question = "Which operation produces the first NaN or Inf?"
applies = "runs whose loss or gradient becomes NaN or Inf"
values = {"": "around the step that failed"}
by_hand = False
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.02, "same": 0.92, "worse": 0.02, "new-failure": 0.02}}


def apply(run: Any, value: str) -> None:
    """Change nothing: the plan already says which steps to watch, and the run counts as applied."""
    run.applied()
    run.verified()
