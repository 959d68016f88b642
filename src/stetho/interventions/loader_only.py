"""Load batches as fast as it goes, without training on them, and tell how many there are in a second.

## What changes
When the program has trained for one step and asks for its next batch, the loader is read to the end, and again from the
beginning, for N batches or twenty seconds. Then the run is over.

## How it is known
The batches are counted as they come.

## What it tells
The rate at which the data can arrive, whatever the model does. If it is hardly above the rate of the training, the
training waits for its data.

## When it says nothing
About learning; programs without a DataLoader.
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


def read(value: str) -> int:
    """How many batches to load."""
    if value and int(value) < 1:
        raise ValueError("at least one batch is loaded")
    return int(value or 200)


def apply(run: Run, value: str) -> None:
    """Wait for the first step, then drain the loader that the program reads next."""
    most = read(value)
    loaders: dict[int, Any] = {}
    state = {"steps": 0, "fed": False, "draining": False}

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
        if not state["steps"]:
            return fetch()
        state["draining"] = True
        start = time.perf_counter()
        count = drained(iterator, fetch)
        seconds = time.perf_counter() - start
        run.applied(count)
        if count and seconds > 0:
            run.verified(count)
            run.tell("drained", batches=count, seconds=seconds, rate=count / seconds)
        run.finish()

    @run.on_step_over
    def stepped(optimizer: Any) -> None:
        state["steps"] += 1
        if not state["fed"]:
            run.refused("the training has no DataLoader")
