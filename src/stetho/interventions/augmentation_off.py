"""Fetch each sample the same way every time.

## What changes
Where a data set makes a sample a little different each time it is fetched, each number is fetched with the random
numbers of a seed of its own. Those of the program go on as if it had been fetched in the old way.

## How it is known
Before, two fetches of one number under different random states differ; afterwards they are the same.

## What it tells
If the symptom is gone, it was in the augmentation: too strong, wrong for these labels, or the same in all workers.

## When it says nothing
Samples that are the same each time already, data sets that are iterated or have a generator of their own, and
augmentation that happens in the loop, in the model or in the function that puts batches together.
"""

from __future__ import annotations

import copy
import random
import sys
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the augmentation of the samples?"
applies = "programs with a DataLoader over a data set that is asked by numbers"
values = {"": "each sample as under one seed"}
SEED = 20255


class States:
    """The random states of torch, Python and, where the program has it, numpy."""

    def __init__(self) -> None:
        torch: Any = sys.modules["torch"]
        numpy: Any = sys.modules.get("numpy.random")
        self.kept = torch.random.get_rng_state(), random.getstate(), numpy and numpy.get_state()

    def put_back(self) -> None:
        torch: Any = sys.modules["torch"]
        numpy: Any = sys.modules.get("numpy.random")
        torch.random.set_rng_state(self.kept[0])
        random.setstate(self.kept[1])
        if numpy is not None and self.kept[2] is not None:
            numpy.set_state(self.kept[2])


def seed(number: int) -> None:
    """Seed all of them, past the functions that others follow."""
    torch: Any = sys.modules["torch"]
    numpy: Any = sys.modules.get("numpy.random")
    torch.random.default_generator.manual_seed(number)
    getattr(random.seed, "__wrapped__", random.seed)(number)
    if numpy is not None:
        getattr(numpy.seed, "__wrapped__", numpy.seed)(number % 2**32)


def fetched_under(dataset: Any, index: Any, number: int) -> Any:
    """A sample under a seed, with the states as they were afterwards."""
    states = States()
    try:
        seed(number)
        return dataset[index]
    finally:
        states.put_back()


class Steady:
    """A data set whose samples are always the same; what is read from it or set on it is the other's."""

    def __init__(self, dataset: Any) -> None:
        self.stetho_dataset = dataset

    def __len__(self) -> int:
        return len(self.stetho_dataset)

    def __getitem__(self, index: Any) -> Any:
        torch: Any = sys.modules["torch"]
        if torch.utils.data.get_worker_info() is None:
            # In the process that trains, others draw from the same numbers: they must find them as before.
            self.stetho_dataset[index]
        number = int(index) if hasattr(index, "__int__") else zlib.crc32(repr(index).encode())
        return fetched_under(self.stetho_dataset, index, SEED + number)

    def __getattr__(self, name: str) -> Any:
        # Without a way to fetch many at once, each number is fetched alone.
        if name.startswith("__") or "stetho_dataset" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.stetho_dataset, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "stetho_dataset":
            object.__setattr__(self, name, value)
        else:
            setattr(self.stetho_dataset, name, value)


def same(one: Any, other: Any) -> bool:
    """Whether two samples hold the same, as far as it can be told."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))  # noqa: B905 - Python 3.9
    if hasattr(one, "shape") and hasattr(one, "tolist"):
        return one.shape == other.shape and str(one.tolist()) == str(other.tolist())
    if hasattr(one, "tobytes"):
        return bool(one.tobytes() == other.tobytes())
    plain: Any = object.__eq__
    return bool(one == other) or type(one).__eq__ is plain


def apply(run: Run, value: str) -> None:
    """Try each data set before its loader is made, and steady those whose samples change."""
    state = {"fed": False}

    def reason_against(dataset: Any) -> str:
        """Why a data set is left alone; empty if it makes samples that differ and can be steadied."""
        if isinstance(dataset, run.torch.utils.data.IterableDataset):
            return "an iterable data set is not asked by numbers"
        try:
            # A copy: what a data set opens when it is first asked must not be open when its workers begin.
            tried, places = copy.copy(dataset), (0, len(dataset) // 2)
            pairs = [(fetched_under(tried, at, 1), fetched_under(tried, at, 2)) for at in places]
            again = [fetched_under(tried, at, 1) for at in places]
        except Exception as error:  # noqa: BLE001 - it is the program's own code, asked before its time
            return f"a sample could not be fetched on trial: {type(error).__name__}"
        if not all(same(first, then) for (first, _), then in zip(pairs, again)):  # noqa: B905 - Python 3.9
            return "the data set has a random generator of its own"
        if all(same(first, second) for first, second in pairs):
            return "samples are the same each time they are fetched"
        return ""

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        data = given.get("dataset")
        if isinstance(data, Steady):
            return
        reason = reason_against(data)
        if reason:
            run.refused(reason)
            return
        given["dataset"] = Steady(data)
        tried = Steady(copy.copy(data))
        if same(fetched_under(tried, 0, 1), fetched_under(tried, 0, 2)):
            run.verified()

    @run.on_fetch
    def fetched(iterator: Any, fetch: Any) -> Any:
        batch = fetch()
        if not run.evaluating:
            state["fed"] = True
            run.applied(int(isinstance(iterator._dataset, Steady)))
        return batch

    @run.on_step_over
    def without(optimizer: Any) -> None:
        if not state["fed"]:
            run.refused("the training has no DataLoader")
