"""Swings of a loss that does not come down: whether its points are opposed to each other, or only noisy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from stetho.facts import LossSwings
from stetho.logged.assembly import Curve, Known

if TYPE_CHECKING:
    from stetho.series import Floats

LEAST, MOST, FARTHEST = 40, 20_000, 20
# It stays where it began: neither learned from there, nor diverged.
AROUND = (0.85, 2.0)


def swings(loss: Curve) -> Iterator[Known]:
    """The swings of a positive loss that stays around its beginning; nothing of any other."""
    known = loss.values[np.isfinite(loss.values)]
    if len(known) < LEAST or float(np.min(known)) <= 0:
        return
    half = known[max(len(known) // 2, len(known) - MOST) :]
    start, level = float(np.mean(known[: max(10, len(known) // 10)])), float(np.mean(half))
    if not AROUND[0] * start < level < AROUND[1] * start:
        return
    against, lag = opposed(half)
    fact = LossSwings(loss.name, len(half), start, level, float(np.std(half)) / level, against, lag)
    yield Known(fact, f"{loss.name} stays around {level:.3g}, and swings by {fact.swing:.0%} of it", loss.source)


def opposed(values: Floats) -> tuple[float, int]:
    """The most negative correlation between points some distance apart, and that distance."""
    left = values - np.median(values)
    bound = 5 * float(np.median(np.abs(left)))
    left = np.clip(left, -bound, bound)
    left = left - left.mean()
    spread = float(np.sum(left**2))
    if spread <= 0:
        return 0.0, 1
    lags = range(1, min(FARTHEST, len(values) // 8) + 1)
    found = [(float(np.sum(left[:-lag] * left[lag:])) / spread, lag) for lag in lags]
    return min(found)
