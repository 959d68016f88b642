"""Load batches as fast as it goes, without training on them, and tell how many there are in a second.

## What changes
When the program has trained for a few steps and asks for its next batch, the loader is read to the end, and again from
the beginning, for N batches or twenty seconds. Then the run is over.

## How it is known
The batches are counted as they come.

## What it tells
The rate at which the data can arrive, whatever the model does. The outcome is "worse" where it is less than 1.25 times
the rate at which the unchanged run takes its batches: loading bounds the run. It is "same" where the loader keeps up;
from twice the rate on, loading is not what the run waits for.

## When it says nothing
About learning; programs without a DataLoader, fewer than twenty batches, too few steps to tell the speed of the run.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How fast can the data be loaded?"
applies = "programs with a DataLoader"
values = {"": "200 batches, or 20 seconds", "N": "N batches, or 20 seconds"}
alters = "time"
moves = "the data of many steps is drawn at once"
SECONDS = 20.0
# Steps before the loader is drained: some frameworks fetch a batch ahead, and of few steps it would be one too many.
STEPS = 4


def read(value: str) -> int:
    """How many batches to load."""
    if value and int(value) < 1:
        raise ValueError("at least one batch is loaded")
    return int(value or 200)


def apply(run: Run, value: str) -> None:
    """Wait for a few steps, then drain the loader that the program reads next."""
    most = read(value)
    loaders: dict[int, Any] = {}
    state = {"fed": False, "draining": False}
    steps: dict[int, int] = {}
    fetched: dict[int, int] = {}
    """Steps of each optimizer, and batches of each data set."""

    def begun(original: Any, loader: Any) -> Any:
        iterator = original(loader)
        loaders[id(iterator)] = loader
        return iterator

    run.instead(run.torch.utils.data.DataLoader, "__iter__", begun)

    def drained(iterator: Any, fetch: Any) -> int:
        """Batches read until there are enough or the time is up; each end of the data is a new beginning."""
        count, start, empty = 0, time.perf_counter(), False
        ahead = fetch
        while count < most and time.perf_counter() - start < SECONDS:
            try:
                ahead()
                count, empty = count + 1, False
            except StopIteration:
                if empty or id(iterator) not in loaders:
                    break
                loader = loaders[id(iterator)]
                following = iter(loader)
                ahead, empty = following.__next__, True
                loaders[id(iterator)] = loader
        return count

    @run.on_fetch
    def drain(iterator: Any, fetch: Any) -> Any:
        if run.evaluating or state["draining"]:
            return fetch()
        state["fed"] = True
        data, taken = id(iterator._dataset), max(steps.values(), default=0)
        if taken < STEPS:
            batch = fetch()
            fetched[data] = fetched.get(data, 0) + 1
            return batch
        each = fetched.get(data, 0) / taken
        state["draining"] = True
        start = time.perf_counter()
        count = drained(iterator, fetch)
        seconds = time.perf_counter() - start
        run.applied(count)
        if count and seconds > 0:
            run.verified(count)
            run.tell("drained", batches=count, seconds=seconds, rate=count / seconds, each=round(each) or each or 1)
        run.finish()

    @run.on_step_over
    def stepped(optimizer: Any) -> None:
        steps[id(optimizer)] = steps.get(id(optimizer), 0) + 1
        if not state["fed"]:
            run.refused("the training has no DataLoader")
