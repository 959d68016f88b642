"""Shuffle the samples where the program takes them in order.

## What changes
A DataLoader that reads its data set from the first to the last sample reads it in a random order, a new one for each
epoch; a sampler that shares it among ranks is told to shuffle. What a sampler of the program's own says, single samples
or batches, comes in a random order, in batches of the same sizes, if its samples show an order. A stream is read ahead,
up to 20,000 samples at a time, and these come in a random order. Evaluation keeps its order. Where no loader orders the
samples, or its workers read a stream, each row of a batch, input and target alike, becomes one of those seen so far, at
random. The order has a generator of its own.

## How it is known
The numbers that the loader asks its data set for are not in order; of rows that were drawn, some come from earlier
batches.

## What it tells
If the symptom is gone, neighbouring samples were alike: batches of one class, or a drift over the epoch, taught the
model one thing at a time.

## When it says nothing
Loaders that shuffle already, and batches or samplers of the program's own that show no order. Without a loader, samples
that have not been seen yet cannot come early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the order of the samples?"
applies = "samples that come in order"
values = {"": "a new order for each epoch"}
alters = "data"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.76, "worse": 0.15, "new-failure": 0.03}}
moves = "samples that draw random numbers while they are made draw others when their order changes"
# Numbers of batches after which it is asked whether their order says something.
BATCHES = (4, 8, 16, 32, 64, 128)
# Samples of a stream that are read ahead.
AHEAD = 20_000


class Shuffled:
    """Numbers of samples in a random order, another one each time; in their own order for evaluation."""

    def __init__(self, torch: Any, dataset: Any) -> None:
        self.torch, self.dataset = torch, dataset
        self.generator = torch.Generator().manual_seed(20253)
        self.order: list[int] = []
        self.shuffle = True

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Any:
        if not self.shuffle:
            return iter(range(len(self.dataset)))
        self.order = self.torch.randperm(len(self.dataset), generator=self.generator).tolist()
        return iter(self.order)


class Mixed:
    """The samples of a stream in a random order, as far as it is read ahead; in their own order for evaluation."""

    def __init__(self, torch: Any, stream: Any) -> None:
        self.torch = torch
        self.generator = torch.Generator().manual_seed(20255)
        self.order: list[int] = []
        self.shuffle = True
        # The stream stays the object that the program made, of a kind of its own kind.
        plain, mixed = type(stream), self.mixed
        stream.__class__ = type(plain.__name__, (plain,), {"__iter__": lambda self: mixed(plain.__iter__(self))})

    def mixed(self, samples: Iterator[Any]) -> Iterator[Any]:
        ahead: list[Any] = []
        for sample in samples:
            if not self.shuffle:
                yield from ahead
                yield sample
                ahead.clear()
                continue
            ahead.append(sample)
            if len(ahead) >= AHEAD:
                yield from self.drawn(ahead)
                ahead.clear()
        yield from self.drawn(ahead) if self.shuffle else ahead

    def drawn(self, samples: list[Any]) -> Iterator[Any]:
        self.order = self.torch.randperm(len(samples), generator=self.generator).tolist()
        return (samples[at] for at in self.order)


class Samplers:
    """Makes the samplers of loaders shuffle, for the training only."""

    def __init__(self, run: Run) -> None:
        self.run, self.torch = run, run.torch
        self.told_to: list[Any] = []
        """Samplers of the program's own that were told to shuffle."""
        self.own: dict[int, Any] = {}
        """Stand-ins for samplers of the program's own, by their ids."""
        self.mixed: dict[int, Mixed] = {}
        """Streams that are read ahead, by their ids."""
        self.taught: dict[int, Any] = {}
        self.asked: dict[int, Any] = {}
        """Samplers that have shuffled for a model that trains, and for one that does not, by their ids."""

    def settings(self, given: dict[str, Any]) -> None:
        """A loader is about to be made."""
        data, sampler = given.get("dataset"), given.get("sampler")
        if isinstance(data, self.torch.utils.data.IterableDataset):
            # What workers read is out of sight.
            if not given.get("num_workers") and id(data) not in self.mixed:
                self.mixed[id(data)] = Mixed(self.torch, data)
            return
        if given.get("shuffle"):
            self.run.refused("its loaders shuffle already")
        elif given.get("batch_sampler") is not None:
            self.below(given)
        elif sampler is None or self.in_order(sampler):
            given["sampler"] = Shuffled(self.torch, data)
        elif getattr(sampler, "shuffle", None) is False:
            sampler.shuffle = True
            self.told_to.append(sampler)
        else:
            given["sampler"] = self.dealt_anew(sampler, given)

    def below(self, given: dict[str, Any]) -> None:
        """A sampler of batches is given another order to make them of; one of the program's own may not take it."""
        batch_sampler = given["batch_sampler"]
        inner = getattr(batch_sampler, "sampler", None)
        if self.in_order(inner):
            batch_sampler.sampler = Shuffled(self.torch, given["dataset"])
        elif type(batch_sampler) is self.torch.utils.data.BatchSampler:
            batch_sampler.sampler = self.dealt_anew(inner, {**given, "batch_size": batch_sampler.batch_size})
        else:
            given["batch_sampler"] = self.dealt_anew(batch_sampler, given, batches=True)

    def dealt_anew(self, sampler: Any, given: dict[str, Any], batches: bool = False) -> Any:
        """A stand-in for a sampler of the program's own; the sampler itself where there can be none."""
        if isinstance(sampler, Shuffled) or id(sampler) in self.own:
            return sampler
        data = self.torch.utils.data
        if isinstance(sampler, (data.RandomSampler, data.SubsetRandomSampler, data.WeightedRandomSampler)) or (
            getattr(sampler, "shuffle", None) is True
        ):
            self.run.refused("a sampler shuffles already")
        elif not hasattr(type(sampler), "__len__"):
            self.run.refused("a sampler of the program's own has no length")
        else:
            sampler = self.run.own_order(sampler, given, batches)
            self.own[id(sampler)] = sampler
        return sampler

    def in_order(self, sampler: Any) -> bool:
        return isinstance(sampler, self.torch.utils.data.SequentialSampler)

    def begun(self, original: Any, loader: Any) -> Any:
        """A loader begins an epoch."""
        self.settle(self.found_in(loader))
        return original(loader)

    def found_in(self, loader: Any) -> Any:
        """The sampler that shuffles for us, under those that make batches of what it says."""
        stream = getattr(loader, "dataset", getattr(loader, "_dataset", None))
        if id(stream) in self.mixed:
            return self.mixed[id(stream)]
        found = loader._index_sampler
        while found is not None and not self.ours(found):
            found = getattr(found, "sampler", getattr(found, "batch_sampler", None))
        return found

    def ours(self, sampler: Any) -> bool:
        return isinstance(sampler, Shuffled) or id(sampler) in self.own or any(sampler is one for one in self.told_to)

    def settle(self, sampler: Any) -> None:
        """Shuffle for the training only; what begins now, or is asked for its first batch, has its order from here."""
        if sampler is not None:
            idle = id(sampler) in self.asked and id(sampler) not in self.taught
            sampler.shuffle = not (self.run.evaluating or idle)

    def used(self, sampler: Any, training: bool) -> None:
        """A model is called with what a sampler has chosen."""
        if training:
            self.taught[id(sampler)] = sampler
        elif sampler.shuffle and getattr(sampler, "shown", True) is not False:
            self.asked[id(sampler)] = sampler

    def report(self) -> None:
        if any(sampler not in self.taught for sampler in self.asked):
            self.run.contradicted("a loader was shuffled that feeds evaluation only")


class Drawing:
    """Draws the rows of each batch from those seen, where no loader orders the samples."""

    def __init__(self, run: Run) -> None:
        self.run, self.torch = run, run.torch
        self.generator = run.torch.Generator().manual_seed(20254)
        self.means: list[list[Any]] = []
        self.ordered: bool | None = None
        """Whether the batches show an order; None until enough have been seen."""
        self.given: set[str] = set()
        self.rows = run.on_rows(self.choose, self.entered)

    def choose(self, call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        """The samples to put in the place of these."""
        if self.ordered is None:
            self.ordered = self.in_order(call)
        if not self.ordered:
            self.run.refused("the batches show no order")
            return None
        pool = self.rows.pool()
        picked = self.torch.randint(len(pool), (len(prints),), generator=self.generator).tolist()
        self.run.applied()
        self.given = set(prints)
        return [pool[at] for at in picked]

    def in_order(self, call: int) -> bool | None:
        """Whether batches differ more than chance lets them: their means vary more than their samples explain."""
        held, means = self.rows.calls.get(call - 1), self.means
        if held is not None and len(means) < BATCHES[-1]:
            kept = [*held.targets.values(), *held.tensors.values()]
            means.append([self.run.spread(t) for t in kept if t.shape[0] > 1])
        if len(means) not in BATCHES or any(len(one) != len(means[0]) for one in means):
            return None
        found = any(self.run.apart([one[at] for one in means]) for at in range(len(means[0])))
        return found or (False if len(means) == BATCHES[-1] else None)

    def entered(self, prints: list[str]) -> None:
        """See whether some come from earlier batches."""
        if set(prints) - self.given:
            self.run.verified()


class Feeding:
    """Follows which sampler feeds the model."""

    def __init__(self, run: Run, samplers: Samplers, drawing: Drawing) -> None:
        self.run, self.samplers, self.drawing = run, samplers, drawing
        self.last: Any = None
        """The sampler of the last batch that was fetched, if it shuffles for us."""
        self.ours: Any = None
        """That of the last batch for training."""

    def fetched(self, iterator: Any, fetch: Callable[[], Any]) -> Any:
        """A loader is asked for a batch."""
        self.last = self.samplers.found_in(iterator)
        self.samplers.settle(self.last)
        batch = fetch()
        if not self.run.evaluating:
            self.ours = self.last
            # A stream that workers read has nothing that orders it for us: its rows are drawn.
            stream = isinstance(iterator._dataset, self.run.torch.utils.data.IterableDataset)
            self.drawing.rows.on = stream and self.last is None
        return batch

    def look(self, module: Any, training: bool) -> None:
        """A model is called: see whether what feeds it is shuffled."""
        if self.last is not None:
            self.samplers.used(self.last, training)
        if not training or not self.ours:
            return
        if id(self.ours) in self.samplers.own and not self.ours.order:
            if self.ours.shown is False:
                self.run.refused("a sampler of the program's own shows no order")
            return
        self.run.applied()
        order = list(self.ours) if any(self.ours is one for one in self.samplers.told_to) else self.ours.order
        if order != sorted(order):
            self.run.verified()


def apply(run: Run, value: str) -> None:
    """Give loaders in order a sampler; without a loader, draw from the pairs seen."""
    samplers = Samplers(run)
    feeding = Feeding(run, samplers, Drawing(run))
    run.on_loader(samplers.settings)
    run.instead(run.torch.utils.data.DataLoader, "__iter__", samplers.begun)
    run.on_fetch(feeding.fetched)
    run.on_report(samplers.report)
    run.on_entering(feeding.look)
