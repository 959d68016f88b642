"""Let the learning rate grow over the first steps instead of beginning at its full height.

## What changes
At step t of N the rate of every group is (t + 1) / N times the program's own, schedule included; it is lent for the
length of the step, so that schedulers see their own numbers. From step N on nothing is changed. Without a number, N is
a third of the steps that are watched, so that most of them are taken at the full rate.

## How it is known
The rate is read again after each step, while it is still lent.

## What it tells
If a run that diverges or sticks early on is calm, its first steps were too large: the rate is fit for later only. A
rate that is too high for the whole run breaks it as soon as the warm-up is over.

## When it says nothing
A program that warms up itself gets both, one on top of the other. An optimizer without a learning rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Are the first steps too large for a model that has learned nothing yet?"
applies = "any optimizer of torch's with an lr"
values = {"": "over a third of the steps that are watched", "N": "over the first N steps"}
example = "20"
backgrounds = {"": {"symptom-gone": 0.04, "better": 0.08, "same": 0.68, "worse": 0.18, "new-failure": 0.02}}
# Steps of a run of which nothing is known, and how far one is watched that breaks at once, or later on.
USUAL, AT_ONCE, BEYOND = 100, 120, 60


def read(value: str) -> int:
    """Over how many steps."""
    steps = int(value or USUAL)
    if steps < 2:
        raise ValueError("a warmup takes at least two steps")
    return steps


def chosen(facts: Mapping[str, Any]) -> str:
    """A third of the steps that will be taken: of those of the run, or of as many as show that it no longer breaks."""
    end, curve = facts.get("run-end"), facts.get("loss-curve")
    lost = getattr(curve, "nonfinite_step", None)
    steps = max(AT_ONCE, 2 * lost + BEYOND) if lost is not None else getattr(end, "steps", None)
    return str(max(10, steps // 3)) if steps else ""


def apply(run: Run, value: str) -> None:
    """Lend each group its share of the rate for the length of each early step."""
    steps = read(value)

    def share(optimizer: Any, group: Any, was: Any) -> Any:
        part = (run.steps(optimizer) + 1) / steps
        return was * part if part < 1 else None

    run.lend("lr", share)
