"""Shares with their intervals: what so few programs say, and what they do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# For 95 %.
Z = 1.959964


@dataclass(frozen=True)
class Share:
    """So many of so many, with the interval of Wilson's that holds the true share 95 times in a hundred."""

    hits: int
    total: int

    @property
    def value(self) -> float:
        return self.hits / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        if not self.total:
            return math.nan, math.nan
        n, p = self.total, self.value
        centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def __str__(self) -> str:
        if not self.total:
            return "none"
        low, high = self.interval
        return f"{self.value:.2f} [{low:.2f}–{high:.2f}] ({self.hits}/{self.total})"


@dataclass(frozen=True)
class Mean:
    """A mean, with its interval from resampling the programs."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return "none" if math.isnan(self.value) else f"{self.value:.3f} [{self.low:.3f}–{self.high:.3f}]"


def mean(values: Sequence[float], rounds: int = 2000) -> Mean:
    """The mean of some values, with its interval by the bootstrap, always the same for the same values."""
    import numpy as np

    if not len(values):
        return Mean(math.nan, math.nan, math.nan)
    held = np.asarray(values, float)
    drawn = np.random.default_rng(0).integers(0, len(held), (rounds, len(held)))
    means = held[drawn].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Mean(float(held.mean()), float(low), float(high))
