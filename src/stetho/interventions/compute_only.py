"""Hand out the first batch of each epoch again and again, without loading, so that only computing is left.

## What changes
A loader that feeds the training makes one batch in each epoch. Copies of it are handed out in the place of all others,
as many as the loader is long. Evaluation loads as before.

## How it is known
The time that the program waits for each copy is measured: it must be less than that of the batch which was loaded.

## What it tells
How fast the training would be if its data were there at once. The share of time that is saved was spent on waiting.

## When it says nothing
About learning, as it sees hardly any data; programs without a DataLoader, loaders without a length, and batches that
hold things which cannot be copied.
"""

from __future__ import annotations

import copy
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How fast are the steps when no data has to be loaded?"
applies = "programs with a DataLoader"
values = {"": "in every epoch"}
alters = "time"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.06, "same": 0.83, "worse": 0.08, "new-failure": 0.02}}
moves = "samples that are not made draw no random numbers"
# Copying is not free; less than this is no waiting, however fast the first batch was.
QUICK = 0.001


class Epoch:
    """The batch of one epoch, and how many more of it are due."""

    def __init__(self, batch: Any, seconds: float, left: int) -> None:
        self.batch, self.seconds, self.left = batch, seconds, left


def apply(run: Run, value: str) -> None:
    """Let each iterator load once, and copy from then on."""
    epochs: dict[int, Epoch] = {}
    state = {"fed": False}

    def copied(batch: Any) -> Any:
        leaves = run.leaves(batch)
        return copy.deepcopy(batch) if leaves is None else run.rebuilt(batch, leaves)

    def length(iterator: Any) -> int | None:
        try:
            return len(iterator._index_sampler)
        except (TypeError, AttributeError, NotImplementedError):
            return None

    def first(iterator: Any, fetch: Any) -> Any:
        begun = time.perf_counter()
        batch = fetch()
        seconds = time.perf_counter() - begun
        left = length(iterator)
        if left is None:
            run.refused("the loader has no length")
            return batch
        try:
            epochs[id(iterator)] = Epoch(copied(batch), seconds, left - 1)
        except Exception:  # noqa: BLE001 - what a batch is made of is the program's own business
            run.refused("a batch holds things that cannot be copied")
        return batch

    @run.on_fetch
    def again(iterator: Any, fetch: Any) -> Any:
        if run.evaluating:
            return fetch()
        state["fed"] = True
        epoch = epochs.get(id(iterator))
        if epoch is None:
            return first(iterator, fetch)
        if not epoch.left:
            del epochs[id(iterator)]
            raise StopIteration
        begun = time.perf_counter()
        epoch.left -= 1
        batch = copied(epoch.batch)
        run.applied()
        if time.perf_counter() - begun < max(QUICK, epoch.seconds):
            run.verified()
        return batch

    @run.on_step_over
    def without(optimizer: Any) -> None:
        if not state["fed"]:
            run.refused("the training has no DataLoader")
