"""What steps cost in two runs, in memory and in time, and whether that grows: by which a leak is told to be gone."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Literal

from stetho.facts import KeptGraphs, StepTimes
from stetho.inquiry import Facts
from stetho.yardstick import fact_in

MIB = 2**20
# Memory that a run may come to hold for reasons of its own, at least and as a share of what it began with.
LEAST_GROWTH, SHARE = 6 * MIB, 0.02
# Growth within the first steps is that of caches and allocators.
SETTLED = 5
# How many times longer late steps must take than early ones to be called slower, and steps enough to tell.
SLOWER, LEAST_STEPS = 1.4, 40


@dataclass(frozen=True)
class Upkeep:
    """What became of the growth."""

    outcome: Literal["better", "worse", "same", "undecided"]
    told: str


def compare_upkeep(base: Facts, changed: Facts) -> Upkeep:
    """Whether memory or the time of a step grows less under a change."""
    found = [one for one in (_memory(base, changed), _pace(base, changed)) if one is not None]
    if not found:
        return Upkeep("undecided", "too few steps to tell whether memory or time grow")
    for outcome in ("better", "worse"):
        telling = [one for one in found if one.outcome == outcome]
        if telling:
            return Upkeep(telling[0].outcome, "; ".join(one.told for one in telling))
    return Upkeep("same", "; ".join(one.told for one in found))


def _memory(base: Facts, changed: Facts) -> Upkeep | None:
    """By the memory that the process holds at the steps that both runs were looked at."""
    held = [dict(zip(f.steps, f.resident, strict=False)) if f else {} for f in (_kept(base), _kept(changed))]
    shared = sorted(step for step in held[0].keys() & held[1].keys() if step >= SETTLED)
    if len(shared) < 2:
        return None
    before, after = (one[shared[-1]] - one[shared[0]] for one in held)
    told = f"memory grows by {before / MIB:.3g} -> {max(after, 0) / MIB:.3g} MiB in {shared[-1] - shared[0]} steps"
    matters = max(LEAST_GROWTH, SHARE * held[0][shared[0]])
    if before - after > matters and before > 2 * after:
        return Upkeep("better", told)
    if after - before > matters and after > 2 * before:
        return Upkeep("worse", told)
    return Upkeep("same", f"{told}, which is little")


def _pace(base: Facts, changed: Facts) -> Upkeep | None:
    """By how much longer late steps take than early ones."""
    ours, theirs = (_early_and_late(fact_in(facts, StepTimes)) for facts in (base, changed))
    if ours is None or theirs is None:
        return None
    (early, late), (start, end) = ours, theirs
    told = f"a late step takes {late:.3g} -> {end:.3g} s, an early one {early:.3g} -> {start:.3g} s"
    if late > SLOWER * early and late > SLOWER * end and late / early > 1.2 * end / start:
        return Upkeep("better", told)
    if end > SLOWER * start and end > SLOWER * late and end / start > 1.2 * late / early:
        return Upkeep("worse", told)
    return Upkeep("same", f"{told}, no clear difference")


def _early_and_late(times: StepTimes | None) -> tuple[float, float] | None:
    seconds = times.seconds[1:] if times is not None else ()
    if len(seconds) < LEAST_STEPS:
        return None
    part = len(seconds) // 5
    early, late = median(seconds[:part]), median(seconds[-part:])
    return (early, late) if early > 0 and late > 0 else None


def _kept(facts: Facts) -> KeptGraphs | None:
    return fact_in(facts, KeptGraphs)
