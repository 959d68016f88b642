"""Which loader a batch comes from, told in a way that holds from one run of a program to the next."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterator

import torch
from torch.utils.data import dataloader

if TYPE_CHECKING:
    from ..watch import Watch

# Iterators remembered; a program that makes one per epoch leaves dead ones behind.
ITERATORS = 64


class Unfit(Exception):
    """The state of a run cannot be kept, or does not fit the program that it is put into."""


class Streams:
    """Numbers loaders by the place they are made at, so that one that is made anew for each epoch stays the same."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.places: dict[tuple[Any, ...], int] = {}
        self.loaders: dict[int, int] = {}
        self.iterators: dict[int, tuple[int, bool]] = {}

    @property
    def active(self) -> bool:
        """Whether anybody wants to know of batches."""
        return self.watch.ring.on or "batch" in self.watch.run.calls

    def made(self, loader: Any, *place: Any) -> None:
        """Number a loader by where and over what it is made."""
        self.loaders[id(loader)] = self.places.setdefault(place, len(self.places))

    def begun(self, loader: Any, iterator: Any) -> None:
        """Remember whose iterator this is, and whether its batches lie in memory that workers share with us."""
        if len(self.iterators) >= ITERATORS:
            self.iterators.pop(next(iter(self.iterators)))
        shared = isinstance(iterator, dataloader._MultiProcessingDataLoaderIter)
        self.iterators[id(iterator)] = (self.loaders.get(id(loader), -1), shared)

    def delivered(self, iterator: Any, batch: Any) -> Any:
        """Show a batch to the ring, and let a change put another in its place."""
        known = self.iterators.get(id(iterator))
        if known is None:
            return batch
        if self.watch.ring.on:
            self.watch.ring.batch(known[0], known[1], batch)
        if "batch" in self.watch.run.calls:
            changed = self.watch.run.passed("batch", known[0], batch)
            return batch if changed is None else changed
        return batch


def flat(batch: Any) -> list[Any]:
    """Every tensor and plain value of a batch, in a fixed order."""
    if isinstance(batch, torch.Tensor) or batch is None or type(batch) in (bool, int, float, str):
        return [batch]
    if isinstance(batch, Mapping):
        return [leaf for key in batch for leaf in flat(batch[key])]
    if isinstance(batch, (list, tuple)):
        return [leaf for item in batch for leaf in flat(item)]
    raise Unfit(f"a loader delivers a {type(batch).__name__}, whose content is not known")


def rebuilt(batch: Any, leaves: list[Any]) -> Any:
    """A batch of the same form with other content."""
    if len(flat(batch)) != len(leaves):
        raise Unfit("the program's batches have another form than those that were kept")
    return _filled(batch, iter(leaves))


def _filled(batch: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(batch, Mapping):
        made = copy.copy(batch)
        for key in batch:
            made[key] = _filled(batch[key], leaves)  # type: ignore[index]
        return made
    if isinstance(batch, (list, tuple)):
        items = [_filled(item, leaves) for item in batch]
        return type(batch)(*items) if hasattr(batch, "_fields") else type(batch)(items)
    return next(leaves)
