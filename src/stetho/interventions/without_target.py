"""Hold the place of a window that is the target itself.

## What changes
In each sample that has as many numbers as named, the one that was found to be the target is held at its mean over the
first batch, in training and in evaluation.

## How it is known
What the model was called with holds one value in that place, and what the program gave holds several.

## What it tells
If the model is clearly worse without it, it was asked for something that it had been shown.

## When it says nothing
Samples among whose numbers the target was not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How good is it when the window does not hold the target?"
applies = "models called with tensors of floating-point numbers"
by_hand = False
values = {"K/N": "number K, from 0, of samples with N", "": "the one that was found to be the target"}
example = "0/4"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02}}


def chosen(facts: Mapping[str, Any]) -> str:
    """The place that was measured to be the target."""
    found = facts.get("series-windows")
    return "" if found is None or found.target_at is None else f"{found.target_at}/{found.places}"


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether the target was found in the window."""
    return bool(chosen(facts))


def apply(run: Run, value: str) -> None:
    """Hold it as any other feature."""
    if not value:
        run.refused("the target was not found in the window")
        return
    run.also("without-feature", value)
