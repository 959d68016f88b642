"""Held-out results of two runs that learn from different data: what the best of each has gained, and how errors grow.

Where a run goes on after its best point, its end says when it should have stopped, and not what its data could teach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from stetho.curves import roughness
from stetho.experiment import ExperimentOutcome
from stetho.facts import FirstLoss, Labels, LossCurve, Printed, PrintedNumber
from stetho.inquiry import Facts
from stetho.logged.roles import words_of
from stetho.yardstick import evaluated, fact_in, level, top_of

# Of what the base has gained over knowing nothing, a run that gains less than this is worse; above that, as good.
WORSE, AS_GOOD = 0.75, 0.85
# Values from which on their noise can be told, and noises that a difference has to exceed.
LEAST, NOISES = 5, 2.0
# An error of so many times as much is larger; up to that many times, less data explains it.
LARGER, AS_LARGE = 1.3, 1.2
# Scores whose worst is known, and losses in units of their own.
RIGHT, EXPLAINED = frozenset(("acc", "accuracy")), frozenset(("r", "r2"))
OTHER_UNITS = frozenset(("mae", "rmse", "mape", "error", "err", "ppl", "perplexity"))


@dataclass(frozen=True)
class Gained:
    """One held-out number: what knowing nothing gives, and the best of both runs."""

    name: str
    nothing: float
    before: float
    after: float
    noise: float

    @property
    def share(self) -> float:
        """What the changed run has gained, of what the base has."""
        return (self.after - self.nothing) / (self.before - self.nothing)

    @property
    def outcome(self) -> ExperimentOutcome:
        """Worse, same, better or undecided."""
        beyond = abs(self.after - self.before) > NOISES * self.noise
        if self.share < WORSE:
            return "worse" if beyond else "undecided"
        if self.share > 2 - WORSE:
            return "better" if beyond else "undecided"
        return "same" if self.share > AS_GOOD else "undecided"


def gained(base: Facts, changed: Facts) -> Gained | None:
    """The first held-out number of both runs of which it is known what knowing nothing gives."""
    for ours, theirs in held_out(base, changed):
        nothing = of_nothing(ours, base)
        best = max if ours.kind == "score" else min
        before, after = best(ours.values), best(theirs.values)
        learned = nothing is not None and (before - nothing) * (1 if ours.kind == "score" else -1) > 0
        if learned and nothing is not None and math.isfinite(after):
            few = min(len(ours.values), len(theirs.values)) < LEAST
            noise = 0.1 * abs(before - nothing) if few else max(roughness(ours.values), roughness(theirs.values))
            return Gained(ours.name, nothing, before, after, noise)
    return None


@dataclass(frozen=True)
class Grown:
    """One held-out number as an error, in both runs."""

    name: str
    before: float
    after: float
    least: float
    """A difference that is none."""

    @property
    def outcome(self) -> ExperimentOutcome:
        """Worse, same, better or undecided."""
        if self.after - self.before > max(self.least, (LARGER - 1) * self.before):
            return "worse"
        if self.after < self.before / LARGER and self.before - self.after > self.least:
            return "better"
        return "same" if self.after <= AS_LARGE * self.before + self.least / 2 else "undecided"


def grown(base: Facts, changed: Facts) -> Grown | None:
    """The first held-out number of both runs that is an error, or tells one, by where it ends."""
    for ours, theirs in held_out(base, changed):
        top = top_of(ours, theirs) if ours.kind == "score" else None
        if ours.kind == "score" and words_of(ours.name) & EXPLAINED:
            top = 1.0
        if (ours.kind == "score" and top is None) or (ours.kind == "loss" and min((*ours.values, *theirs.values)) < 0):
            continue
        ends = [level(one) if top is None else top - level(one) for one in (ours, theirs)]
        noise = max(roughness(ours.values), roughness(theirs.values)) if len(ours.values) >= LEAST else 0.0
        return Grown(ours.name, ends[0], ends[1], max(NOISES * noise, 0.02 * top if top is not None else 0.0))
    return None


def held_out(base: Facts, changed: Facts) -> Iterator[tuple[PrintedNumber, PrintedNumber]]:
    """Held-out numbers that both runs have, scores first; what was seen after what was printed."""
    one, two = fact_in(base, Printed), fact_in(changed, Printed)
    theirs = {number.name: number for number in two.numbers} if two is not None else {}
    for ours in one.results() if one is not None else ():
        other = theirs.get(ours.name)
        if other is not None and ours.split == "validation" and all(map(math.isfinite, (*ours.values, *other.values))):
            yield ours, other
    seen = evaluated(base, changed, scores=False)
    if seen is not None:
        yield seen


def of_nothing(number: PrintedNumber, facts: Facts) -> float | None:
    """What a model that knows nothing of the inputs would get."""
    words = words_of(number.name)
    first, curve = fact_in(facts, FirstLoss), fact_in(facts, LossCurve)
    if number.kind == "score" and (words & RIGHT or "right" in words):
        share = usual_class(facts) or (1 / first.classes if first is not None and first.classes else None)
        return None if share is None else share * (top_of(number) or 1.0)
    if number.kind == "score":
        return 0.0 if words & EXPLAINED else None
    return curve.chance if curve is not None and not words & OTHER_UNITS else None


def usual_class(facts: Facts) -> float | None:
    """The share of the most frequent class, which is what answering always the same is right in."""
    labels = fact_in(facts, Labels)
    if labels is None or not labels.counted or not labels.counts:
        return None
    return labels.counts[0].count / labels.counted
