"""Load the data with another number of worker processes.

## What changes
Every DataLoader gets N workers; options that only make sense with workers, or without, follow. The samples are the
same, but for the random numbers drawn while they are made: each worker has its own.

## How it is known
The iterator that feeds the training is asked how many live workers it has.

## What it tells
Only the time can change. If steps get faster with more workers, the training waited for its data; if a hang or a crash
is gone without any, it was in the workers.

## When it says nothing
Programs without a DataLoader, and loaders that have that many workers already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the number of loader workers?"
applies = "programs with a DataLoader"
values = {"N": "so many for each loader; 0 loads in the process that trains"}
example = "1"
alters = "time"
moves = "samples are made in other processes, each with random numbers of its own"


def read(value: str) -> int:
    """The number of workers."""
    if int(value) < 0:
        raise ValueError("a number of workers is not negative")
    return int(value)


def apply(run: Run, value: str) -> None:
    """Change the settings of each loader before it is made."""
    number = read(value)
    changed: set[int] = set()
    state = {"fetched": 0}

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        had, data = int(given.get("num_workers") or 0), given.get("dataset")
        if had == number:
            run.refused(f"the number of workers is {number} already")
            return
        if number > 1 and isinstance(data, run.torch.utils.data.IterableDataset) and had < 2:
            run.refused("each worker would read the whole of an iterable data set")
            return
        given["num_workers"] = number
        changed.add(id(data))
        if number == 0:
            for name in ("persistent_workers", "prefetch_factor", "timeout", "multiprocessing_context"):
                given.pop(name, None)
        run.applied()

    @run.on_fetch
    def look(iterator: Any, fetch: Any) -> Any:
        batch = fetch()
        state["fetched"] += 1
        if id(iterator._dataset) in changed and not run.evaluating:
            living = [worker for worker in getattr(iterator, "_workers", ()) if worker.is_alive()]
            if len(living) == number:
                run.verified()
        return batch

    @run.on_step_over
    def without(optimizer: Any) -> None:
        if not state["fetched"]:
            run.refused("the training has no DataLoader")
