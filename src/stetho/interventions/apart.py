"""Train on no sample that is evaluated.

## What changes
Samples that the model was evaluated on so far are taken out of each training batch, input and target alike, and others
stand in for them. Evaluations of the training data as a whole do not count, unless there are no others. Where every
sample of a batch is one of these, every second one is taken out.

## How it is known
What the model was called with holds no sample that was taken out.

## What it tells
If the results on held-out data get clearly worse, they were good because the same samples had been trained on.

## When it says nothing
No sample is evaluated and trained on, or all of them were learned before the first evaluation.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How good is it on data that it was not trained on?"
applies = "models called with tensors"
by_hand = False
values = {"": "as soon as a sample was evaluated"}
alters = "shared"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02}}
# The share of the training data from which on all of it is on record.
ON_RECORD = 0.9
# An evaluation is one of the training data when all but a few of its samples were trained on, and so many of all that
# were.
TRAINED, OF_ALL = 0.98, 0.5


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether a sample may be evaluated and trained on: not where all are on record, and none was."""
    found = facts.get("overlap")
    return found is None or found.shared > 0 or found.held_out < found.evaluated or found.known < ON_RECORD


def apply(run: Run, value: str) -> None:
    """Remember what is evaluated, and take it out of the training."""
    by_place: dict[Any, set[str]] = {}
    trained: set[str] = set()
    evaluated: set[str] = set()
    out: set[str] = set()
    changed: list[bool] = []

    @run.on_idle_input
    def remember(module: Any, args: Any, kwargs: Any) -> None:
        by_place.setdefault(run.called_from(), set()).update(run.prints(module, args, kwargs))
        changed.append(True)

    def tell_apart() -> None:
        """What was evaluated, training data left out where that is evaluated beside other data."""
        own = [s for s in by_place.values() if not is_training(s)]
        evaluated.clear()
        evaluated.update(*(own or by_place.values()))
        changed.clear()

    def is_training(some: set[str]) -> bool:
        both = len(some & trained)
        return both >= TRAINED * len(some) and both >= OF_ALL * len(trained)

    def choose(call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        if changed:
            tell_apart()
        trained.update(prints)
        held = [one in evaluated for one in prints]
        if all(held):
            held = [zlib.crc32(one.encode()) % 2 == 0 for one in prints]
        good = [row for row, is_held in enumerate(held) if not is_held]
        out.clear()
        out.update(prints[row] for row, is_held in enumerate(held) if is_held)
        if not any(held) or not good:
            return None
        run.applied()
        return [(call, good[row % len(good)] if is_held else row) for row, is_held in enumerate(held)]

    def entered(prints: list[str]) -> None:
        if not out.intersection(prints):
            run.verified()
        else:
            run.contradicted("a sample that was taken out reached the model")

    run.on_rows(choose, entered)
