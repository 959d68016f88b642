"""Made-up data that can be learned: random samples like those seen, and targets that follow from them by a rule."""

from __future__ import annotations

from typing import Any

import torch

from .features import Features
from .samples import Place

# Samples of a pool, and the bytes it may take.
POOL, BYTES = 512, 64 * 2**20
# Parts that a rule looks at, along the features of a sample and along each other axis, by the number of its axes.
PARTS_BY_AXES = {1: (256, 1), 2: (64, 4)}
# Different numbers of one sample, where it is to have many, and different tokens that samples are made of.
NUMBERS, TOKENS = 256, 64
# How much of a sample varies by part, so that a model which averages over places can see it too.
BY_PART, BY_ELEMENT = 0.8, 0.6


class Pool:
    """Made-up samples for one place, of one shape."""

    def __init__(self, features: Features, tensor: Any, generator: Any) -> None:
        self.whole = not measured(tensor)
        size = tensor[:1].numel() * 8
        count = max(32, min(POOL, BYTES // max(1, size)))
        if self.whole:
            self._draw_tokens(features, tensor, count, generator)
        else:
            self._draw_numbers(features, tensor, count, generator)

    def _draw_tokens(self, features: Features, tensor: Any, count: int, generator: Any) -> None:
        form = tuple(tensor.shape[1:])
        few = torch.zeros((TOKENS, *form), dtype=tensor.dtype)
        few = features.drawn(few, generator).reshape(TOKENS, -1)
        picked = torch.randint(TOKENS, (count, few.shape[1]), generator=generator)
        self.rows = few.gather(0, picked).reshape(count, *form)
        self.varies = (few != few[:1]).any(0)

    def _draw_numbers(self, features: Features, tensor: Any, count: int, generator: Any) -> None:
        form = tuple(tensor.shape[1:])
        self.mean, self.spread = (moment.float() for moment in features.moments(tensor.float()))
        if not bool((self.spread > 0).any()):
            # Samples that are all the same have no scale of their own, and nothing to be learned from.
            self.spread = torch.ones_like(self.spread)
        self.parts, number = parts(form)
        by_part = torch.randn(count, number, generator=generator)[:, self.parts].reshape(count, *form)
        noise = BY_PART * by_part + BY_ELEMENT * torch.randn(count, *form, generator=generator)
        self.rows = (noise * self.spread + self.mean).to(torch.float32)
        if not tensor.is_floating_point():
            self.rows = self.rows.round().clamp(0, 255)

    def taken(self, picked: Any) -> Any:
        """The rows of these numbers."""
        return self.rows[picked % len(self.rows)]

    def holds(self, tensor: Any) -> bool:
        """Whether the first row of a tensor is in the pool."""
        wanted = self.rows.to(tensor.dtype).reshape(len(self.rows), -1)
        return bool((wanted == tensor.detach().cpu()[:1].reshape(1, -1)).all(1).any())

    def standard(self, rows: Any) -> Any:
        """Rows with mean 0 and spread 1."""
        return (rows.float() - self.mean) / torch.where(self.spread > 0, self.spread, 1.0)

    def by_part(self, rows: Any) -> Any:
        """The mean of each part of each row."""
        flat = self.standard(rows).reshape(len(rows), -1)
        count = torch.bincount(self.parts).clamp_min(1)
        return torch.zeros(len(rows), len(count)).index_add_(1, self.parts, flat) / count


class Pools:
    """A pool for each place and shape, made of what has been seen there."""

    def __init__(self) -> None:
        self.generator = torch.Generator().manual_seed(20257)
        self.seen: dict[Place, Features] = {}
        self.made: dict[Any, Pool] = {}

    def see(self, place: Place, tensor: Any) -> None:
        """Note the samples of the program, until their pool is made."""
        features = self.seen.setdefault(place, Features())
        if (place, tensor.shape[1:], tensor.dtype) not in self.made:
            features.add(tensor.float() if measured(tensor) else tensor)

    def of(self, place: Place, tensor: Any) -> Pool:
        """The pool for samples like these."""
        key = (place, tensor.shape[1:], tensor.dtype)
        if key not in self.made:
            self.made[key] = Pool(self.seen[place], tensor, self.generator)
        return self.made[key]

    def drawn(self, pool: Pool, count: int, attended: Any) -> Drawn:
        """So many samples of a pool, at random."""
        return Drawn(pool, torch.randint(POOL, (count,), generator=self.generator), attended)


class Drawn:
    """Samples of a pool, and which of their tokens count, where the program says so."""

    def __init__(self, pool: Pool, picked: Any, attended: Any) -> None:
        self.pool, self.picked, self.attended = pool, picked, attended
        self.rows = pool.taken(picked)


class Rule:
    """Targets from samples, always the same ones for the same sample."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], Any] = {}

    def classes(self, drawn: Drawn, many: int, number: int) -> Any:
        """For each of so many targets of a sample one of so many classes."""
        if drawn.pool.whole:
            return (self.tokens(drawn, many) * 40503 // 8) % number
        return self.scores(drawn, many, number).argmax(dim=-1)

    def numbers(self, drawn: Drawn, many: int) -> Any:
        """A number with mean 0 and spread near 1 for each target."""
        if drawn.pool.whole:
            return ((self.tokens(drawn, many) * 40503 % 997) / 997 - 0.5) * 12**0.5
        return self.scores(drawn, many, 1)[..., 0]

    def tokens(self, drawn: Drawn, many: int) -> Any:
        """The token that each target depends on: the one in its place, or the first that varies and is attended to."""
        size, fit = len(drawn.rows), drawn.pool.varies
        flat = drawn.rows.reshape(size, -1)
        if many > 1:
            return flat[:, torch.arange(many) % flat.shape[1]].long()
        if drawn.attended is not None:
            fit = fit & (drawn.attended.reshape(size, -1) > 0)
        first = fit.expand(size, -1).float().argmax(dim=1, keepdim=True)
        return flat.gather(1, first).long()

    def scores(self, drawn: Drawn, many: int, columns: int) -> Any:
        """For each sample and each of its targets, weighted sums of what the target depends on."""
        values = drawn.pool.standard(drawn.rows)
        if values.dim() > 2:
            values = values.flatten(2).transpose(1, 2) if values.dim() > 3 else values
            if many == values.shape[1] and many > 1:
                return values @ self.weights(values.shape[2], columns)
        sums = drawn.pool.by_part(drawn.rows)
        if columns > 1:
            return (sums @ self.weights(sums.shape[1], columns))[:, None].expand(-1, many, -1)
        made = sums @ self.weights(sums.shape[1], min(many, NUMBERS))
        return made[:, torch.arange(many) % made.shape[1], None]

    def weights(self, lines: int, columns: int) -> Any:
        """Fixed weights for sums of so many values."""
        if (lines, columns) not in self.known:
            generator = torch.Generator().manual_seed(20256 + lines + 7919 * columns)
            self.known[lines, columns] = torch.randn(lines, columns, generator=generator) / max(1, lines) ** 0.5
        return self.known[lines, columns]


def measured(tensor: Any) -> bool:
    """Whether values are measured and not names of things: floats, and the bytes of images."""
    return bool(tensor.is_floating_point()) or (tensor.dim() > 3 and tensor.element_size() == 1)


def parts(form: tuple[int, ...]) -> tuple[Any, int]:
    """For each element of a sample the number of the part that it lies in, and how many parts there are."""
    number, total = torch.zeros((), dtype=torch.long), 1
    features = 0 if len(form) > 2 else len(form) - 1
    # Few along places and times: many models see these only as a mean.
    along, across = PARTS_BY_AXES.get(len(form), (16, 2))
    for axis, size in enumerate(form):
        blocks = max(1, min(size, along if axis == features else across))
        number = number[..., None] * blocks + torch.arange(size) * blocks // max(1, size)
        total *= blocks
    return number.reshape(-1), total
