"""Reading a loss curve: where it starts and ends, how noisy it is, and whether two curves differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, pstdev, stdev


@dataclass(frozen=True)
class Shape:
    """A curve in a few numbers. `noise` is the spread around its own local level at the end."""

    start: float
    end: float
    noise: float
    lowest: float
    steps: int
    falling: float
    """Fall over the last half of the curve, in standard errors of the difference."""
    error: float
    """Standard error of `end`: of a median, and with noise that remembers taken into account."""


def finite(values: Sequence[float]) -> list[float]:
    return [v for v in values if math.isfinite(v)]


def shape(values: Sequence[float]) -> Shape | None:
    """The shape of the finite part of a curve, or None when there is too little of it."""
    known = finite(values)
    if len(known) < 4:
        return None
    head = known[: max(1, min(5, len(known) // 10))]
    tail = known[-max(3, len(known) // 5) :]
    half = known[len(known) // 2 :]
    first, second = half[: len(half) // 2], half[len(half) // 2 :]
    jumps = [abs(b - a) for a, b in pairwise(tail)]
    noise = max(median(jumps) / 0.954, 1e-12) if jumps else 1e-12
    spread = max(noise, 1e-9 * abs(fmean(tail)), 1e-12) * math.sqrt(2.0 / max(1, len(second)))
    falling = (fmean(first) - fmean(second)) / spread if first and second else 0.0
    # Medians: one spike must not stand for a level.
    return Shape(median(head), median(tail), noise, min(known), len(known), falling, _error(tail, noise))


def _error(tail: Sequence[float], noise: float) -> float:
    """How far the median of a tail may be off. Blocks tell when neighbours are alike and count for less."""
    alone = 1.2533 * noise / math.sqrt(len(tail))
    size = len(tail) // 5
    if size < 4:
        return alone
    levels = [median(tail[i * size : (i + 1) * size]) for i in range(5)]
    # What a steady fall makes of the blocks is no noise: take their straight line away first.
    slope = sum((i - 2) * level for i, level in enumerate(levels)) / 10
    left = [level - slope * (i - 2) for i, level in enumerate(levels)]
    # Three degrees of freedom are few: without the factor, three sigmas would be passed too often.
    return max(alone, 1.6 * stdev(left) / math.sqrt(5))


def roughness(values: Sequence[float]) -> float:
    """Noise around a trend, however steep: of three neighbours, how far the middle one lies off their line."""
    known = finite(values)
    bends = [abs(a - 2 * b + c) for a, b, c in zip(known, known[1:], known[2:], strict=False)]
    # The second difference of noise has the square root of six times its spread, and a median of 0.6745 of that.
    return median(bends) / 1.652 if bends else 0.0


def held_constant(values: Sequence[float], *, least: int = 30, spread: float = 1e-3) -> tuple[float, int] | None:
    """The one value that nearly all numbers of a series have, and how many; None where they differ as they do."""
    known = [v for v in values if v > 0 and math.isfinite(v)]
    if len(known) < least or len(known) < 0.9 * len(values):
        return None
    level = median(known)
    inside = sum(abs(v - level) <= spread * level for v in known)
    return (level, inside) if inside >= 0.95 * len(known) else None


def swing(values: Sequence[float]) -> float:
    """Spread of the last half over its level: near 0 for a calm curve, near 1 for one that jumps about."""
    known = finite(values)
    half = known[len(known) // 2 :]
    level = fmean(half) if half else 0.0
    return pstdev(half) / abs(level) if len(half) > 2 and level else 0.0


def clearly_lower(base: Sequence[float], changed: Sequence[float], *, share: float = 0.1) -> bool:
    """Whether the changed curve ends lower by more than noise and by a share that matters.

    The share is of the level the base ended at; on a curve that crosses zero a level says nothing, and the
    share is of what the base has come down so far.
    """
    one, two = shape(base), shape(changed)
    if one is None or two is None:
        return False
    gain = one.end - two.end
    positive = one.lowest > 0 and two.lowest > 0
    matters = share * (one.end if positive else max(abs(one.end), abs(one.start - one.end), 1e-12))
    return gain > matters and (gain > 3 * math.hypot(one.error, two.error) or _apart(base, changed))


def _apart(base: Sequence[float], changed: Sequence[float]) -> bool:
    """Whether two tails hardly overlap and lie far apart: then no estimate of noise is needed."""
    high, low = (sorted(finite(v)[-max(3, len(finite(v)) // 5) :]) for v in (base, changed))
    floor, ceiling = high[len(high) // 20], low[-1 - len(low) // 20]
    return len(high) >= 10 and len(low) >= 10 and floor > ceiling and median(low) < 0.5 * median(high) and low[0] > 0


def best_level(values: Sequence[float]) -> float | None:
    """The lowest level that a curve held for a twentieth of its length."""
    known = finite(values)
    width = max(3, len(known) // 20)
    if len(known) < 2 * width:
        return None
    return min(median(known[i : i + width]) for i in range(0, len(known) - width + 1, max(1, width // 2)))


def falls_for_ever(
    values: Sequence[float], *, factor: float = 100.0, faster: float = 20.0, least: int = 24
) -> tuple[float, float] | None:
    """Where a curve begins and ends that falls far below zero without slowing down; None for any other.

    What is minimised slows down as it comes near its floor. So the last third must fall about as far as the one before
    it, and the whole way must be many times the size of what was there at first; less of it where it gets faster.
    """
    known = finite(values)
    third = len(known) // 3
    if len(known) < least or known[-1] >= 0:
        return None
    head = known[: max(2, len(known) // 10)]
    width = max(2, third // 4)
    edges = [median(known[i : i + width]) for i in (0, third, 2 * third, len(known) - width)]
    size = max(1.0, *(abs(v) for v in head))
    falls = [a - b for a, b in pairwise(edges)]
    slowest = min(b / a for a, b in pairwise(falls)) if min(falls) > 0 else 0.0
    far = -edges[-1] / size
    # A late start falls within one part of the run, and slows down again at the end.
    middle = (2 * third + len(known) - width) // 2
    ending = edges[2] - 2 * median(known[middle : middle + width]) + edges[3]
    gaining = slowest >= 1.15 and falls[1] > 0.12 * falls[2] and ending < 0
    for_ever = (far > factor and slowest >= 0.8) or (far > faster and gaining)
    return (edges[0], edges[-1]) if for_ever and falls[2] > 10 * roughness(known) else None
