"""Runs that fail: a crash, an end before its time, a loss that stops being finite."""

from __future__ import annotations

import math

from stetho.curves import shape
from stetho.facts import LossCurve, RunEnd
from stetho.inquiry import Facts
from stetho.outcome.judged import Judged, told
from stetho.outcome.pair import Pair
from stetho.yardstick import fact_in

FAILURES = ("crash", "killed")
# A loss that ends this many times above its start, or above chance, has learned nothing by staying finite.
FAR_ABOVE = 2.0
# Where nothing else is wrong, a loss without labels may grow as the model gets better, but hardly so much.
BEYOND_GROWTH = 50.0
# The first loss knows of no step yet; a start of more than so many times as much is no start any more.
EXPLODED = 10.0


def at_failure(pair: Pair) -> Judged | None:
    """What one run's failing decides, by whatever else the change is judged."""
    return _failure(pair) or _late(pair)


def _failure(pair: Pair) -> Judged | None:
    """A run that fails where the base does not, or the other way round."""
    was, now, levels = pair.was, pair.now, pair.levels
    end, ours = fact_in(pair.changed, RunEnd), fact_in(pair.base, RunEnd)
    if end is not None and end.stopped_by == "memory" and (ours is None or ours.stopped_by != "memory"):
        return Judged("new-failure", "it needs more memory than it may have", *levels)
    if now in FAILURES:
        if was in FAILURES:
            return Judged("same", f"still {now}", *levels)
        return Judged("new-failure", f"it fails: {now}", *levels)
    if was in FAILURES and end is not None and ours is not None:
        if end.code == 0 or end.steps > ours.steps:
            return Judged("symptom-gone", f"{was} gone, {end.steps} steps", *levels)
        return Judged("undecided", f"it ended after {end.steps} steps; the base fails after {ours.steps}", *levels)
    if now == "loss-nonfinite" and was != "loss-nonfinite":
        return Judged("new-failure", f"{told('loss', *levels)}, the loss is no longer finite", *levels)
    return None


def _late(pair: Pair) -> Judged | None:
    """A changed run that ended before the step at which the base fails says nothing of it."""
    one, two = pair.curves
    if pair.was != "loss-nonfinite" or pair.now == pair.was or one is None or one.nonfinite_step is None:
        return None
    steps = (two.steps[-1] + 1 if two.steps else len(two.values)) if two is not None else 0
    if steps > one.nonfinite_step:
        return None
    words = f"it ended after {steps} steps, before step {one.nonfinite_step} at which the base fails"
    return Judged("undecided", words, *pair.levels)


def from_failure(pair: Pair) -> Judged | None:
    """Where the base ends in NaN, what stays finite near its start is better; what only explodes more slowly is the
    same."""
    curve = pair.curves[0]
    if pair.was != "loss-nonfinite" or curve is None or curve.nonfinite_step is None:
        return None
    before, after = math.nan, pair.levels[1]
    words = told("loss", before, after)
    if after is None or not math.isfinite(after):
        return Judged("same", f"{words}, still {pair.now}", before, after)
    if _exploded(pair.changed, after, pair.now):
        seen = pair.still or ", now far above its start"
        return Judged("same", f"{words}, finite{seen}", before, after)
    if pair.now == "none":
        return Judged("symptom-gone", f"{words}, {pair.was} gone", before, after)
    return Judged("better", f"{words}, finite{pair.still}", before, after)


def _exploded(facts: Facts, end: float, now: str) -> bool:
    """Whether a loss that is still finite ends far above where it began."""
    curve = fact_in(facts, LossCurve)
    seen = shape(curve.values) if curve is not None else None
    if curve is None or seen is None:
        return False
    # A loss that explodes at once has done so within what else would be called its start.
    start = min(abs(seen.start), EXPLODED * abs(curve.values[0]))
    grows = now == "none" and curve.chance is None and curve.explained is None
    return end > (BEYOND_GROWTH if grows else FAR_ABOVE) * max(start, curve.chance or 0.0)
