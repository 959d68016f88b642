"""Begin shortly before a late failure: the state that a real run has kept is put into the program.

## What changes
The program sets itself up and takes its first step as always. At the end of that step its parameters, buffers,
optimizers, schedulers and random generators become those of the checkpoint, and its loaders deliver the batches
that came after it; when these are used up, the program's own go on. Its counters and other variables stay.

## How it is known
The next step is taken on the batch that was kept.

## What it tells
Nothing by itself: it is the ground on which other changes are made, when the failure comes back on it.

## When it says nothing
The program has other models or optimizers than the run that was kept, or what it does depends on variables of its
own, such as a count of steps.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "smoke"
question = "Does the failure come back from the state that was kept before it?"
applies = "runs of stetho run whose loss or gradient became NaN or Inf"
values = {"FILE": "the record of a failure in a ring's folder"}
by_hand = False
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.02, "same": 0.92, "worse": 0.02, "new-failure": 0.02}}


def apply(run: Run, value: str) -> None:
    """`value` is the record of a failure in a ring's folder."""
    with open(value, encoding="utf-8") as handle:
        record: dict[str, Any] = json.load(handle)
    kept: dict[int, deque[list[Any]]] = {}
    passed = {"steps": 0, "batches": 0}

    def read(name: str) -> Any:
        path = os.path.join(os.path.dirname(value), record[name])
        return run.torch.load(path, map_location="cpu", weights_only=True)

    def go_back() -> None:
        """Swap the state in, whole or not at all, and say which."""
        try:
            batches = read("batches")
            run.put_back(read("checkpoint"))
        except Exception as error:  # noqa: BLE001 - why it could not be done is the finding
            run.tell("restored", step=record["step"], why=f"{error}"[:300] or type(error).__name__)
            return
        for stream, leaves in batches:
            kept.setdefault(stream, deque()).append(leaves)
        run.tell("restored", step=record["step"], why=None, batches=len(batches))

    @run.on_step_over
    def step_over(optimizer: Any) -> None:
        """After the first step go back; after the second, see whether it was taken on the batch that was kept."""
        if run.optimizers.index(optimizer) != record["o"] or passed["steps"] > 1:
            return
        passed["steps"] += 1
        if passed["steps"] == 1 and [os.path.basename(a) for a in sys.argv] == record["argv"]:
            go_back()
        elif passed["steps"] == 2:
            prints = run.first_input()
            same = None if prints is None or record["prints"] is None else prints == record["prints"]
            run.tell("resumed", same=same, batches=passed["batches"])

    @run.on_batch
    def deliver(stream: int, batch: Any) -> Any:
        """The next of the kept batches of this stream, in the form that the program's own has."""
        if not kept.get(stream):
            return batch
        passed["batches"] += 1
        return run.rebuilt(batch, kept[stream].popleft())
