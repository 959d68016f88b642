"""A loss that climbs and does not come back: from its best level to the end of the run, or all along."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from stetho.facts import LossRise
from stetho.logged.assembly import Curve
from stetho.logged.known import Known
from stetho.logged.roles import words_of

if TYPE_CHECKING:
    from stetho.series import Floats

LEAST, BLOCKS = 12, 40
LEAST_CLIMB, SHORTEST = 1.3, 4
# How far below the highest level, in logarithms, is as high.
NEARLY = 0.2
# A rate that grows so much, up to the last point, is a search for the highest rate that works.
SEARCH = 100.0
# Losses that may climb in health: of one of two players, of a critic, of a part that is weighed in, and what is
# maximised.
MAY_CLIMB = frozenset({
    "g", "gen", "generator", "d", "disc", "discriminator", "adv", "adversarial", "value", "critic", "vf", "q", "td",
    "actor", "policy", "pg", "alpha", "kl", "kld", "elbo", "reg", "regularization", "penalty", "aux", "commitment",
})  # fmt: skip


def rises(loss: Curve, rate: Curve | None) -> Iterator[Known]:
    """How a positive loss climbs to its end; nothing where it ends near its best."""
    known = np.flatnonzero(np.isfinite(loss.values))
    values = loss.values[known]
    if len(values) < LEAST or MAY_CLIMB & words_of(loss.name) or (rate is not None and searches(rate.values)):
        return
    levels = medians(values)
    if float(levels.min()) <= 0:
        return
    logs = np.log(levels)
    calm, spread = smoothed(logs), noise(logs)
    # The last place at which it was as low as ever.
    foot = int(np.flatnonzero(calm <= calm.min() + 3 * spread)[-1])
    climb = logs[foot:]
    tenth = max(1, len(levels) // 10)
    start, best, end = levels[:tenth].max(), np.exp(calm.min()), np.median(levels[-max(3, tenth) :])
    if end < LEAST_CLIMB * best or len(climb) < SHORTEST:
        return
    step = int(loss.steps[known[foot * len(values) // len(levels)]])
    fact = LossRise(
        name=loss.name, points=len(values), start=float(start), best=float(best), best_step=step, end=float(end),
        stretches=len(climb), order=order(climb), largest=float(np.diff(climb).max() / (climb.max() - climb[0])),
        noises=float(np.log(end / best)) / spread, highest=bool(calm[-max(3, tenth) :].max() > calm.max() - NEARLY),
        rate_grew=growth(rate, step),
    )  # fmt: skip
    words = f"{loss.name} begins at {start:.4g}, is {best:.4g} at best, last so at step {step}, and ends at {end:.4g}"
    yield Known(fact, words, loss.source)


def medians(values: Floats) -> Floats:
    """The levels of a curve in at most forty stretches."""
    if len(values) <= BLOCKS:
        return values
    edges = np.linspace(0, len(values), BLOCKS + 1).astype(int).tolist()
    return np.array([np.median(values[a:b]) for a, b in pairwise(edges)])


def smoothed(levels: Floats) -> Floats:
    padded = np.concatenate([levels[:1], levels, levels[-1:]])
    middle: Floats = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
    return middle


def noise(levels: Floats) -> float:
    """The spread of levels around the line through their neighbours."""
    bends = np.abs(levels[:-2] - 2 * levels[1:-1] + levels[2:])
    return max(float(np.median(bends)) / 1.652, 1e-4)


def order(levels: Floats) -> float:
    """How far levels are in rising order: 1 for each above the one before it, 0 for no order."""
    ranks = np.argsort(np.argsort(levels)).astype(float)
    return float(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1])


def searches(rates: Floats) -> bool:
    known = rates[np.isfinite(rates)]
    if len(known) < LEAST or float(known.min()) <= 0:
        return False
    return bool(known[-1] >= SEARCH * known[0] and np.all(np.diff(known) >= 0) and known[-1] > 1.05 * known[-3])


def growth(rate: Curve | None, step: int) -> float | None:
    """How many times higher the rate is at the end than at a step."""
    if rate is None:
        return None
    then = float(rate.values[min(int(np.searchsorted(rate.steps, step)), len(rate) - 1)])
    return float(rate.values[-1]) / then if then > 0 else None
