"""From timed pairs of blocks to a ratio and how sure it is."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

# Processor time per step without and with the tool, then the same by the wall clock.
Pair = tuple[float, float, float, float]
RESAMPLED = 1000


@dataclass(frozen=True)
class Spread:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Ratio:
    """Step time with a tool over step time without."""

    all: Spread
    """Sum over sum, so that rare, dear steps count in full."""
    typical: Spread
    """Median over pairs of blocks, so that what happens now and then does not count."""
    wall: float
    base: float
    """Seconds of a step without the tool."""
    extra: Spread
    """Seconds that the tool adds to the mean step."""
    pairs: int


def ratio(pairs: Sequence[Pair]) -> Ratio:
    return Ratio(
        all=spread(pairs, lambda chosen: fmean(p[1] for p in chosen) / fmean(p[0] for p in chosen)),
        typical=spread(pairs, lambda chosen: median(p[1] / p[0] for p in chosen)),
        wall=median(p[3] / p[2] for p in pairs),
        base=median(p[0] for p in pairs),
        extra=spread(pairs, lambda chosen: fmean(p[1] - p[0] for p in chosen)),
        pairs=len(pairs),
    )


def spread(pairs: Sequence[Pair], of: Callable[[Sequence[Pair]], float]) -> Spread:
    """A statistic and the bootstrap interval over pairs, which stay whole: their halves were measured side by side."""
    draw = random.Random(0)
    drawn = sorted(of(draw.choices(pairs, k=len(pairs))) for _ in range(RESAMPLED))
    return Spread(of(pairs), drawn[int(0.025 * RESAMPLED)], drawn[int(0.975 * RESAMPLED)])
