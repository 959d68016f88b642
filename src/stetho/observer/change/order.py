"""The numbers that a sampler of the program's own says, in another order; and whether their own order shows."""

from __future__ import annotations

from itertools import accumulate, chain, islice, pairwise
from typing import Any, Callable, Iterator

import torch

from .. import guard, twin
from ..tensors import tensors_in
from ..unseen import uncovered

# Parts of an epoch that are compared, samples of each, and seconds that the program waits for that.
PARTS, EACH, PATIENCE = 8, 16, 20.0
# How far they must differ; and how far where neighbours share a batch, which may hold several of a kind on purpose.
RATIO, RATIO_OF_NEIGHBOURS = 3.0, 20.0


class OwnOrder:
    """What a sampler says, or a sampler of batches, dealt anew; as it comes for evaluation, or if no order shows."""

    def __init__(self, numbers: Any, size: int, batches: bool, shows: Callable[[list[Any], list[int]], bool]) -> None:
        self.numbers, self.size, self.batches, self.shows = numbers, size, batches, shows
        self.generator = torch.Generator().manual_seed(20256)
        self.order: list[int] = []
        self.shuffle = True
        self.shown: bool | None = None
        """Whether its own order shows; None before it was needed."""

    def __len__(self) -> int:
        return len(self.numbers)

    def __getattr__(self, name: str) -> Any:
        # Programs tell their samplers which epoch it is.
        if name in ("numbers", "__setstate__"):
            raise AttributeError(name)
        return getattr(self.numbers, name)

    def __iter__(self) -> Iterator[Any]:
        coming = iter(self.numbers)
        if not self.shuffle or self.shown is False:
            yield from coming
            return
        said = [list(one) if self.batches else one for one in islice(coming, len(self.numbers))]
        flat = list(chain.from_iterable(said)) if self.batches else said
        sizes = [len(one) for one in said] if self.batches else lengths(len(flat), self.size)
        if self.shown is None:
            self.shown = self.shows(flat, sizes)
        if self.shown:
            self.order = torch.randperm(len(flat), generator=self.generator).tolist()
            dealt = iter([flat[at] for at in self.order])
            said = [list(islice(dealt, size)) for size in sizes] if self.batches else list(dealt)
        yield from said
        yield from coming


def lengths(count: int, size: int) -> list[int]:
    """How so many samples fill batches of one size."""
    return [min(size, count - begin) for begin in range(0, count, size)]


def shows(data: Any, collate: Callable[[list[Any]], Any], numbers: list[Any], sizes: list[int]) -> bool:
    """Whether samples come in an order that shows in them; a forked twin fetches some, so nothing is drawn here."""
    if twin.refusal() is not None or len(numbers) < 4 * PARTS:
        return False

    def looked() -> list[dict[str, Any]]:
        guard.off = True
        torch.set_num_threads(1)
        with uncovered(), torch.no_grad():
            made = ((ratio, [tables(data, collate, one) for one in groups]) for groups, ratio in looks(numbers, sizes))
            return [{"shows": any(unlike(groups, ratio) for ratio, groups in made)}]

    return any(found.get("shows") is True for found in twin.ask(looked, PATIENCE))


def looks(numbers: list[Any], sizes: list[int]) -> Iterator[tuple[list[list[Any]], float]]:
    """Groups of samples that would be alike in a random order: parts of the epoch, and single batches."""
    bounds = [len(numbers) * part // PARTS for part in range(PARTS + 1)]
    parts = [spaced(numbers[a:b]) for a, b in pairwise(bounds)]
    yield parts, RATIO if len(sizes) >= PARTS * EACH else RATIO_OF_NEIGHBOURS
    begins = list(accumulate(sizes, initial=0))
    chosen = [len(sizes) * part // PARTS for part in range(PARTS)]
    batches = [numbers[begins[at] : begins[at] + min(EACH, sizes[at])] for at in chosen]
    if min(map(len, batches)) >= 4 and len(set(chosen)) == PARTS:
        yield batches, RATIO_OF_NEIGHBOURS


def spaced(numbers: list[Any]) -> list[Any]:
    """Some of them, evenly spread."""
    count = min(EACH, len(numbers))
    return [numbers[len(numbers) * at // count] for at in range(count)]


def tables(data: Any, collate: Callable[[list[Any]], Any], numbers: list[Any]) -> list[Any]:
    """The tensors of a batch of these samples that have a row for each."""
    made = tensors_in(collate([data[number] for number in numbers]))
    return [spread(t) for t in made if t.dim() and t.shape[0] == len(numbers) and not t.is_complex()]


def unlike(groups: list[list[Any]], ratio: float) -> bool:
    """Whether any tensor tells the groups apart."""
    if any(len(one) != len(groups[0]) for one in groups):
        return False
    return any(apart([one[at] for one in groups], ratio) for at in range(len(groups[0])))


def spread(tensor: Any) -> Any:
    """Samples, mean and variance of each column, of which a few are enough."""
    flat = tensor.reshape(tensor.shape[0], -1)[:, :64].double()
    if not tensor.is_floating_point() and flat.shape[1] == 1:
        # Numbers of classes have no mean worth the name: each class is a column.
        flat = (flat == torch.arange(64)).double()
    return torch.stack([torch.full((flat.shape[1],), float(len(flat))).double(), flat.mean(0), flat.var(0)])


def apart(groups: list[Any], ratio: float = RATIO) -> bool:
    """Whether the means of groups lie further apart than samples drawn at random would put them."""
    if any(one.shape != groups[0].shape for one in groups):
        return False
    size, mean, variance = torch.stack(groups).unbind(1)
    between, within = mean.var(0), (variance / size).mean(0)
    return bool(between.sum() > ratio * within.sum()) and bool(between.sum() > 0)
