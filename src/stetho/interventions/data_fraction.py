"""Train on a fraction of the data.

## What changes
The data set of every loader that trains answers each number with one of an evenly spaced part of its samples, so that
epochs and orders stay as they are and the random numbers with them. Where no loader fetches samples, a part of them is
kept by what they hold, and kept ones, with their targets, stand in for the others. Evaluation is left alone.

## How it is known
The samples that were really asked of the data set are counted, or those that entered the model.

## What it tells
A model that cannot learn a tenth of its data by heart will not learn all of it; if the part is learned and the whole is
not, it is too small or not trained for long enough. If the loss hardly changes, most of the data is not needed.

## When it says nothing
Data sets that are asked by anything but numbers, in several processes that were started anew, or too short a training
to meet a sample twice.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the amount of data?"
applies = "models called with tensors, or fed by a DataLoader"
values = {"F": "this part of the samples, between 0 and 1"}
example = "0.1"
# Samples that are told apart in the count of those that were asked for.
COUNTED = 1 << 20


def read(value: str) -> float:
    """The fraction."""
    if not 0 < float(value) < 1:
        raise ValueError("a fraction lies between 0 and 1")
    return float(value)


def shared(torch: Any, size: int) -> Any:
    """Numbers that other processes see too, where the system lets them."""
    numbers = torch.zeros(size, dtype=torch.uint8)
    try:
        return numbers.share_memory_()
    except (RuntimeError, OSError):
        return numbers


class Part:
    """A data set that knows only a part of its samples, under all the numbers of the whole.

    Its own names are none that a data set has; all others are those of the data set it stands for.
    """

    def __init__(self, torch: Any, dataset: Any, fraction: float) -> None:
        self.stetho_dataset = dataset
        self.stetho_samples = len(dataset)
        self.stetho_kept = max(1, round(self.stetho_samples * fraction))
        # Shared with the workers, which fetch in processes of their own.
        self.stetho_asked, self.stetho_whole = (shared(torch, size) for size in (min(self.stetho_samples, COUNTED), 1))

    def __len__(self) -> int:
        return len(self.stetho_dataset)

    def stetho_stands_for(self, number: Any) -> Any:
        """The number of the sample that is given for another."""
        try:
            index = int(number)
        except (TypeError, ValueError):
            return number
        if bool(self.stetho_whole):
            return number
        index = index % self.stetho_kept * self.stetho_samples // self.stetho_kept
        self.stetho_asked[index % len(self.stetho_asked)] = 1
        return index

    def __getitem__(self, number: Any) -> Any:
        return self.stetho_dataset[self.stetho_stands_for(number)]

    def __getattr__(self, name: str) -> Any:
        if name == "__getitems__":
            many = self.stetho_dataset.__getitems__
            return lambda numbers: many([self.stetho_stands_for(number) for number in numbers])
        if name.startswith("__") or "stetho_dataset" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.stetho_dataset, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("stetho_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self.stetho_dataset, name, value)


def apply(run: Run, value: str) -> None:
    """Put the part in front of each data set; without a loader, choose among the rows of each batch."""
    torch, fraction = run.torch, read(value)
    state: dict[str, Any] = {"part": None}
    kept: set[str] = set()

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        data = given.get("dataset")
        if isinstance(data, (Part, torch.utils.data.IterableDataset)):
            return
        try:
            samples = len(data)  # type: ignore[arg-type]
        except (TypeError, NotImplementedError):
            run.refused("a data set does not tell how many samples it has")
            return
        if samples > 1:
            given["dataset"] = Part(torch, data, fraction)

    def begun(original: Any, loader: Any) -> Any:
        if isinstance(loader.dataset, Part):
            loader.dataset.stetho_whole.fill_(int(run.evaluating))
        return original(loader)

    run.instead(torch.utils.data.DataLoader, "__iter__", begun)

    @run.on_fetch
    def fetched(iterator: Any, fetch: Any) -> Any:
        if isinstance(iterator._dataset, Part) and not run.evaluating:
            state["part"], rows.on = iterator._dataset, False
        return fetch()

    @run.on_entering
    def look(module: Any, training: bool) -> None:
        part = state["part"]
        if not training or part is None:
            return
        run.applied()
        if 0 < int(part.stetho_asked.sum()) <= part.stetho_kept:
            run.verified()
        elif int(part.stetho_asked.sum()) > part.stetho_kept:
            run.contradicted("more samples were asked for than are in the part")

    def choose(call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        for one in prints:
            if zlib.crc32(one.encode()) < fraction * 2**32:
                kept.add(one)
        good = [(call, row) for row, one in enumerate(prints) if one in kept]
        good = good or [source for source in rows.pool() if known.get(source) in kept]
        if not good:
            # Nothing has been kept so far: one has to be, whatever it is.
            kept.add(prints[0])
            good = [(call, 0)]
        known.update({(call, row): one for row, one in enumerate(prints)})
        run.applied()
        return [(call, row) if one in kept else good[row % len(good)] for row, one in enumerate(prints)]

    def entered(prints: list[str]) -> None:
        if set(prints) <= kept:
            run.verified()
        else:
            run.contradicted("samples that were not kept reached the model")

    known: dict[tuple[int, int], str] = {}
    rows = run.on_rows(choose, entered)
