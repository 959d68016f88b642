"""What every family of measurements needs: the steps that count, short series, and numbers that may be missing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, TypeAlias, TypeVar

from stetho.facts import Amount, ClassCount, Fact, Setting
from stetho.recording import Recording, Step, number

T = TypeVar("T")
Measured: TypeAlias = tuple[Fact, str]
# Values of a series that a fact keeps; the recording holds them all.
MOST = 200
FEW = 5


def main_steps(recording: Recording) -> list[Step]:
    """The steps of the optimizer that stepped most often, the first one on a tie."""
    counts = Counter(s.optimizer for s in recording.steps)
    if not counts:
        return []
    busiest = max(counts, key=lambda o: (counts[o], -o))
    return [s for s in recording.steps if s.optimizer == busiest]


def taken(steps: Sequence[Step]) -> int:
    """How many steps were taken, those included that a long recording has thinned out."""
    return max((s.index for s in steps), default=-1) + 1


def unbroken(steps: Sequence[Step]) -> list[Step]:
    """The steps up to the first one that a long recording has thinned out."""
    gap = next((i + 1 for i, (a, b) in enumerate(pairwise(steps)) if b.index - a.index > 1), len(steps))
    return list(steps[:gap])


def optimizer_name(recording: Recording, index: int) -> str:
    return next((str(o["name"]) for o in recording.of("optimizer") if o.get("o") == index), "optimizer")


def thin(values: Sequence[T], most: int = MOST) -> tuple[T, ...]:
    """A series short enough to keep: every k-th value and the last."""
    if len(values) <= most:
        return tuple(values)
    chosen = values[:: math.ceil(len(values) / most)]
    return (*chosen, values[-1]) if chosen[-1] is not values[-1] else tuple(chosen)


def known(values: Iterable[object]) -> list[float]:
    """The numbers among what was recorded."""
    return [n for n in map(number, values) if n is not None]


def finite(values: Iterable[float | None]) -> list[float]:
    """The finite numbers among what was measured."""
    return [v for v in values if v is not None and math.isfinite(v)]


def middle(values: Sequence[float]) -> float | None:
    """The median, or None when there is nothing; NaN among the values counts as larger than all of them."""
    return median(math.inf if math.isnan(v) else v for v in values) if values else None


def settings(values: object) -> tuple[Setting, ...]:
    """Plain values by name, as text and, where they are numbers, as numbers."""
    if not isinstance(values, dict):
        return ()
    return tuple(Setting(str(k), str(v), _amount(v)) for k, v in values.items())


def _amount(value: object) -> float | None:
    """A setting that is a number; what is not finite was written as a text."""
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number(value) if plain or value in ("nan", "inf", "-inf") else None


def amounts(values: object) -> tuple[Amount, ...]:
    """Elements by kind, the most first."""
    found = values if isinstance(values, dict) else {}
    return tuple(Amount(str(k), int(n)) for k, n in sorted(found.items(), key=lambda item: -item[1]))


def most_frequent(counts: Counter[int], most: int = 50) -> tuple[ClassCount, ...]:
    return tuple(ClassCount(label, count) for label, count in counts.most_common(most) if count)


def shape_of(body: dict[str, Any], key: str) -> tuple[int, ...] | None:
    value = body.get(key)
    return tuple(map(int, value)) if isinstance(value, (list, tuple)) else None


def texts(values: Iterable[object]) -> tuple[str, ...]:
    """The different texts among what was recorded, lists of them included, in order."""
    found: dict[str, None] = {}
    for value in values:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if one is not None:
                found[str(one)] = None
    return tuple(found)


def plural(count: int, noun: str) -> str:
    """`1 step`, `2 steps`, `3 batches`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith(('s', 'x', 'tch')) else 's'}"
