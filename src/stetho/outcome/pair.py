"""A changed run beside its base, and the ways in which the losses of two runs are laid beside each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from stetho.catalogue import Catalogue
from stetho.curves import shape
from stetho.facts import LossCurve
from stetho.inquiry import Facts, gravest, judge_all
from stetho.paired import Difference, at_equal_steps
from stetho.stretches import in_stretches, resized
from stetho.yardstick import Compared, compare, compare_means, fact_in

# What only held-out data shows: what training does then says nothing of the cure.
HELD_OUT = ("overfitting", "metric-stuck")
# A result that is too good is cured by one that is worse.
TOO_GOOD = "too-good"
BEYOND_TRAINING = (*HELD_OUT, TOO_GOOD)


@dataclass(frozen=True)
class Pair:
    """Two runs on the same seed, the symptom of each, and how their losses compare."""

    base: Facts
    changed: Facts
    catalogue: Catalogue
    was: str
    """The symptom of the base."""
    now: str
    """The symptom of the changed run."""
    resumed: bool
    """Whether both go on from a kept state."""
    averaged: bool = False
    """Whether their losses are means over stretches of steps."""
    compare: Callable[[Facts, Facts], Compared] = compare

    @cached_property
    def compared(self) -> Compared:
        """The two runs by their losses, or by what stands in for them."""
        return self.compare(self.base, self.changed)

    @property
    def found(self) -> Difference | None:
        """The difference between them; None where nothing compares."""
        return self.compared.difference

    @property
    def curves(self) -> tuple[LossCurve | None, LossCurve | None]:
        return fact_in(self.base, LossCurve), fact_in(self.changed, LossCurve)

    @property
    def steps(self) -> list[tuple[float, float]]:
        """The losses of both runs at equal steps."""
        one, two = self.curves
        return at_equal_steps(one, two) if one is not None and two is not None else []

    @property
    def levels(self) -> tuple[float | None, float | None]:
        """The losses at which the two runs end; NaN for one that has stopped being finite."""
        one, two = self.curves
        return _end(one), _end(two)

    @property
    def still(self) -> str:
        """The changed run's own symptom, as the end of a sentence; empty when it has none."""
        return f", {'still' if self.now == self.was else 'now'} {self.now}" if self.now != "none" else ""


def _end(curve: LossCurve | None) -> float | None:
    if curve is None or not curve.values:
        return None
    if any(not math.isfinite(v) for v in curve.values):
        return math.nan
    seen = shape(curve.values)
    return seen.end if seen is not None else curve.values[-1]


def step_by_step(pair: Pair) -> Pair:
    """The losses as they are, unless they are seen to be of another number of samples."""
    return over_stretches(pair) if resized(pair.base, pair.changed) else pair


def of_other_losses(pair: Pair) -> Pair:
    """Two losses that are known to be different ones, whatever was recorded of them."""
    return replace(step_by_step(pair), compare=partial(compare, alters_loss=True))


def over_stretches(pair: Pair) -> Pair:
    """Means over the same stretches of steps, in which it does not matter of how many samples a loss is."""
    base, changed = in_stretches(pair.base, pair.changed)
    now = _symptom(pair.catalogue, pair.changed, changed)
    return replace(pair, base=base, changed=changed, now=now, averaged=True)


def over_halves(pair: Pair) -> Pair:
    """Means over the second half of both runs, for losses that jump about too much for anything shorter."""
    pair = step_by_step(pair)
    now = _symptom(pair.catalogue, pair.changed, in_stretches(pair.base, pair.changed)[1])
    return replace(pair, now=now, compare=compare_means)


def _symptom(catalogue: Catalogue, whole: Facts, averaged: Facts) -> str:
    """The gravest symptom of a run: of its loss, as means over stretches show it; of all else, as single steps do."""
    curve: Facts = {kind: entry for kind, entry in averaged.items() if kind is LossCurve}
    shown = {one.check: one for one in judge_all(catalogue, curve) if one.outcome != "unknown"}
    return gravest(catalogue, tuple(shown.get(one.check, one) for one in judge_all(catalogue, whole)))
