"""Let the learning rate grow over the first steps instead of beginning at its full height.

## What changes
At step t of N the rate of every group is (t + 1) / N times the program's own, schedule included; it is lent for the
length of the step, so that schedulers see their own numbers. From step N on nothing is changed.

## How it is known
The rate is read again after each step, while it is still lent.

## What it tells
If a run that diverges or sticks early on is calm, its first steps were too large: the rate is fit for later only.

## When it says nothing
A program that warms up itself gets both, one on top of the other. An optimizer without a learning rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Are the first steps too large for a model that has learned nothing yet?"
applies = "any optimizer of torch's with an lr"
values = {"N": "over the first N steps"}
example = "20"


def read(value: str) -> int:
    """Over how many steps."""
    steps = int(value)
    if steps < 2:
        raise ValueError("a warmup takes at least two steps")
    return steps


def apply(run: Run, value: str) -> None:
    """Lend each group its share of the rate for the length of each early step."""
    steps = read(value)

    def share(optimizer: Any, group: Any, was: Any) -> Any:
        part = (run.steps(optimizer) + 1) / steps
        return was * part if part < 1 else None

    run.lend("lr", share)
