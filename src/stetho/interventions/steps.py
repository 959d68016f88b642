"""Stop after a number of optimizer steps.

## What changes
The process ends right after the optimizer has stepped N times. Until then nothing is different.

## How it is known
The steps are counted once more, beside the observer's own count, and the two agree when the run ends.

## What it tells
What the run looks like up to there, at the price of so many steps.

## When it says nothing
Programs that end earlier by themselves, and updates written by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "What do the first steps look like?"
applies = "any optimizer of torch's"
values = {"N": "after so many steps"}
example = "5"


def read(value: str) -> int:
    """The number of steps."""
    if int(value) < 1:
        raise ValueError("a run has at least one step")
    return int(value)


def apply(run: Run, value: str) -> None:
    """Bring the observer's own bound forward."""
    last = read(value)
    bound = run.watch.bound
    if bound and bound < last:
        run.refused(f"the experiment itself ends after {bound} steps")
        return
    run.watch.bound = last
    counted: dict[int, int] = {}

    @run.on_step_over
    def count(optimizer: Any) -> None:
        steps = counted[id(optimizer)] = counted.get(id(optimizer), 0) + 1
        if steps == last:
            run.applied()
            if run.steps(optimizer) + 1 == last:
                run.verified()
