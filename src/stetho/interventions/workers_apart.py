"""Seed the generators of each loader worker apart.

## What changes
In each worker of a loader that feeds the training, the generators that the data set holds, or that its code names, are
seeded at the start from torch's own seed for the worker, which differs by worker and by epoch. Where the program seeds
its workers itself, so are those of torch, numpy and Python. The process that trains draws what it drew before.

## How it is known
After two batches, no two workers stand at the same place in the numbers of a generator that they draw from.

## What it tells
If held-out results get clearly better, the workers repeated each other, and there was less variety than it seemed.

## When it says nothing
Loaders with less than two workers, workers that are not forked, and generators that differ already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Do held-out results get better when each worker draws random numbers of its own?"
applies = "programs with a DataLoader that has two workers or more"
by_hand = False
values = {"": "each worker of a loader that feeds the training"}
alters = "evaluation"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.90, "worse": 0.05, "new-failure": 0.01}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether workers were seen to draw the same."""
    found = facts.get("loaders")
    return found is not None and any(one.alike and one.phase != "eval" for one in found.loaders)


class Apart:
    """What a worker runs at its start: what the program wants there, and then seeds of its own."""

    def __init__(self, run: Run, own: Any) -> None:
        self.run, self.own = run, own

    def __call__(self, worker: int) -> Any:
        result = self.own(worker) if self.own is not None else None
        if not self.run.evaluating:
            self.run.seed_worker(everything=self.own is not None)
        return result


def apply(run: Run, value: str) -> None:
    """Have each worker seed its generators; look at where they stand once two batches are made."""
    methods = run.torch.multiprocessing

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        # To ask for the method that is in force would settle it before the program does.
        usual = methods.get_start_method(allow_none=True) or methods.get_all_start_methods()[0]
        asked = given.get("multiprocessing_context") or usual
        if int(given.get("num_workers") or 0) < 2:
            run.refused("a loader has less than two workers")
        elif (asked if isinstance(asked, str) else asked.get_start_method()) != "fork":
            run.refused("the workers are not forked")
        else:
            given["worker_init_fn"] = Apart(run, given.get("worker_init_fn"))
            run.applied()

    @run.on_workers
    def told(alike: list[str], training: bool) -> None:
        if training and alike:
            run.contradicted(f"the workers still draw the same from {alike[0]}")
        elif training:
            run.verified()
