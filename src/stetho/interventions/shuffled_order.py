"""Shuffle the samples where the program takes them in order.

## What changes
A DataLoader that reads its data set from the first to the last sample reads it in a random order, a new one for each
epoch; a sampler that shares it among ranks is told to shuffle. Evaluation keeps its order. Where no loader orders the
samples, each row of a batch, input and target alike, becomes one of those seen so far, at random. The order has a
generator of its own.

## How it is known
The numbers that the loader asks its data set for are not in order; of rows that were drawn, some come from earlier
batches.

## What it tells
If the symptom is gone, neighbouring samples were alike: batches of one class, or a drift over the epoch, taught the
model one thing at a time.

## When it says nothing
Loaders that shuffle already, samplers of the program's own, and batches that show no order. Without a loader, samples
that have not been seen yet cannot come early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the order of the samples?"
applies = "samples that come in order"
values = {"": "a new order for each epoch"}
moves = "samples that draw random numbers while they are made draw others when their order changes"
# Batches looked at before it is decided whether their order says something, and how far they must differ for that.
BATCHES, RATIO = 4, 3.0


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


def apply(run: Run, value: str) -> None:
    """Give loaders in order a sampler; without a loader, draw from the pairs seen."""
    torch = run.torch
    generator = torch.Generator().manual_seed(20254)
    told_to: list[Any] = []
    state: dict[str, Any] = {"fed": False, "ours": False, "ordered": None, "last": None}
    taught: dict[int, Any] = {}
    asked: dict[int, Any] = {}
    """Samplers that have shuffled for a model that trains, and for one that does not, by their ids."""
    means: list[Any] = []

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        data, sampler = given.get("dataset"), given.get("sampler")
        if isinstance(data, torch.utils.data.IterableDataset):
            return
        if given.get("shuffle"):
            run.refused("its loaders shuffle already")
        elif given.get("batch_sampler") is not None:
            inner = getattr(given["batch_sampler"], "sampler", None)
            if isinstance(inner, torch.utils.data.SequentialSampler):
                given["batch_sampler"].sampler = Shuffled(torch, data)
            elif not isinstance(inner, Shuffled):
                run.refused("a batch sampler of the program's own puts the samples in order")
        elif sampler is None or isinstance(sampler, torch.utils.data.SequentialSampler):
            given["sampler"] = Shuffled(torch, data)
        elif getattr(sampler, "shuffle", None) is False:
            sampler.shuffle = True
            told_to.append(sampler)
        elif not isinstance(sampler, Shuffled):
            run.refused("a sampler of the program's own puts the samples in order, or shuffles already")

    def sampler_in(found: Any) -> Any:
        """The sampler that shuffles for us, under those that make batches of what it says."""
        while found is not None and not isinstance(found, Shuffled) and found not in told_to:
            found = getattr(found, "sampler", getattr(found, "batch_sampler", None))
        return found

    def settle(sampler: Any) -> None:
        """Shuffle for the training only; what begins now, or is asked for its first batch, has its order from here."""
        if sampler is not None:
            sampler.shuffle = not (run.evaluating or (id(sampler) in asked and id(sampler) not in taught))

    def begun(original: Any, loader: Any) -> Any:
        settle(sampler_in(loader._index_sampler))
        return original(loader)

    run.instead(torch.utils.data.DataLoader, "__iter__", begun)

    @run.on_fetch
    def fetched(iterator: Any, fetch: Any) -> Any:
        state["last"] = sampler_in(iterator._index_sampler)
        settle(state["last"])
        batch = fetch()
        if not run.evaluating:
            iterable = isinstance(iterator._dataset, torch.utils.data.IterableDataset)
            state["fed"], state["ours"], rows.on = not iterable, state["last"], iterable
        return batch

    @run.on_report
    def report() -> None:
        if any(sampler not in taught for sampler in asked):
            run.contradicted("a loader was shuffled that feeds evaluation only")

    @run.on_entering
    def look(module: Any, training: bool) -> None:
        last = state["last"]
        if last is not None and training:
            taught[id(last)] = last
        elif last is not None and last.shuffle:
            asked[id(last)] = last
        if not training or not state["ours"]:
            return
        run.applied()
        ours = state["ours"]
        order = ours.order if isinstance(ours, Shuffled) else list(ours)
        if order != sorted(order):
            run.verified()

    def in_order(call: int) -> bool | None:
        """Whether batches differ more than chance lets them: their means vary more than their samples explain."""
        held = rows.calls.get(call - 1)
        if held is not None and len(means) < BATCHES:
            kept = [*held.targets.values(), *held.tensors.values()]
            means.append([moments(torch, t) for t in kept if t.shape[0] > 1])
        if len(means) < BATCHES or any(len(one) != len(means[0]) for one in means):
            return None
        return any(apart(torch, [one[at] for one in means]) for at in range(len(means[0])))

    def choose(call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        if state["fed"]:
            return None
        if state["ordered"] is None:
            state["ordered"] = in_order(call)
        if not state["ordered"]:
            run.refused("the batches show no order")
            return None
        pool = rows.pool()
        picked = torch.randint(len(pool), (len(prints),), generator=generator).tolist()
        run.applied()
        state["given"] = set(prints)
        return [pool[at] for at in picked]

    def entered(prints: list[str]) -> None:
        if set(prints) - state["given"]:
            run.verified()

    rows = run.on_rows(choose, entered)


def moments(torch: Any, tensor: Any) -> Any:
    """Samples, mean and variance of each column, of which a few are enough."""
    flat = tensor.reshape(tensor.shape[0], -1)[:, :64].double()
    if not tensor.is_floating_point() and flat.shape[1] == 1:
        # Numbers of classes have no mean worth the name: each class is a column.
        flat = (flat == torch.arange(64)).double()
    return torch.stack([torch.full((flat.shape[1],), float(len(flat))).double(), flat.mean(0), flat.var(0)])


def apart(torch: Any, batches: list[Any]) -> bool:
    """Whether the means of batches lie further apart than samples drawn at random would put them."""
    if any(one.shape != batches[0].shape for one in batches):
        return False
    size, mean, variance = torch.stack(batches).unbind(1)
    between, within = mean.var(0), (variance / size).mean(0)
    return bool(between.sum() > RATIO * within.sum()) and bool(between.sum() > 0)
