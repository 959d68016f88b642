"""The same change on several seeds: when one seed is not enough, and what the seeds together say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from stetho.outcome import Judged
from stetho.paired import CLEAR, POSSIBLE, Difference

# Seeds from which a mean over seeds is compared with their spread.
ENOUGH = 4
# |t| that one comparison in fifty exceeds by chance, by degrees of freedom.
CRITICAL = {3: 4.54, 4: 3.75, 5: 3.36, 6: 3.14, 7: 3.00, 8: 2.90, 9: 2.82, 10: 2.76, 15: 2.60, 20: 2.53}
# A gain of this many times what matters is no accident of a moved random stream.
BEYOND_CHANCE = 3.0


def noise_decides(judged: Judged, moved: bool | None = None) -> bool:
    """Whether another seed could well give another outcome, so that one seed is not enough.

    `moved` says whether the change moved the random streams; None leaves it to what the curves show.
    """
    found = judged.difference
    if found is None or judged.outcome not in ("better", "worse", "same", "undecided"):
        return False
    within = abs(found.gain) > found.matters / 2 and 1 <= abs(found.sigmas) < CLEAR
    # A change that moves the random stream compares two seeds, whatever the plan says.
    elsewhere = found.same_batches is False if moved is None else moved
    near = found.clear and abs(found.gain) < BEYOND_CHANCE * found.matters
    return within or (elsewhere and near) or (judged.outcome == "undecided" and not found.excluded)


def judge_over_seeds(each: Sequence[Judged]) -> Judged:
    """What a change does over several seeds, each of them judged against the base on its own seed.

    From four seeds on, the mean must stand out from their spread; with fewer, all must agree and each must
    exceed its own noise.
    """
    told = [j for j in each if j.outcome != "not-applied"]
    if not told:
        return each[0] if each else Judged("undecided", "no run to judge")
    if len(told) == 1:
        return told[0]
    first = told[0]
    outcomes = Counter(j.outcome for j in told)
    alone = first.outcome == "same" and all(j.difference is None for j in told)
    if len(outcomes) == 1 and (alone or first.outcome in ("symptom-gone", "new-failure")):
        return replace(first, detail=f"{first.detail}; on all {len(told)} seeds")
    if outcomes["new-failure"]:
        return Judged("undecided", f"it fails on {outcomes['new-failure']} of {len(told)} seeds", measure=first.measure)
    found = [j.difference for j in told if j.difference is not None]
    if set(outcomes) <= {"symptom-gone", "better"} and len(found) < len(told):
        return replace(first, outcome="better", detail=f"{first.detail}; better on all {len(told)} seeds")
    if len(found) < 2 or len({j.measure for j in told}) > 1:
        words = ", ".join(f"{name} {count}" for name, count in outcomes.most_common())
        return Judged("undecided", f"the seeds do not compare: {words}", measure=first.measure)
    return _together(first, outcomes["symptom-gone"] == len(told), found)


def _together(first: Judged, gone: bool, found: Sequence[Difference]) -> Judged:
    """The outcome from the differences on all seeds, each in units of what matters there."""
    gains = [d.gain / d.matters for d in found]
    mean, count = fmean(gains), len(gains)
    spread = stdev(gains)
    error = max(spread / math.sqrt(count), math.hypot(*(d.error / d.matters for d in found)) / count, 1e-12)
    agree = all(g > 0 for g in gains) or all(g < 0 for g in gains)
    if count >= ENOUGH:
        real = abs(mean) > critical(count - 1) * error
        said = f"t = {mean / error:.1f} over {count} seeds"
    else:
        real = agree and all(abs(d.sigmas) > POSSIBLE for d in found)
        said = f"{'the same' if agree else 'not the same'} direction on {count} seeds"
    before, after = fmean(d.before for d in found), fmean(d.after for d in found)
    detail = f"final {first.measure} {before:.4g} -> {after:.4g} on average, {said}"
    # What the seeds say together, as one difference: positive gains are better.
    matters = fmean(d.matters for d in found)
    steps = min(d.steps for d in found)
    whole = Difference(before, after, mean * matters, error * matters, matters, steps, None)
    if real and abs(mean) > 1:
        outcome = "symptom-gone" if gone else "better" if mean > 0 else "worse"
    elif abs(mean) + critical(count - 1) * error < 2:
        outcome = "same"
    else:
        outcome, detail = "undecided", f"{detail}: not enough to tell"
    return Judged(outcome, detail, before, after, first.measure, whole)  # type: ignore[arg-type]


def critical(freedom: int) -> float:
    """The |t| beyond which a mean over seeds is no chance."""
    known = [f for f in CRITICAL if f <= freedom]
    return CRITICAL[max(known)] if known else 6.96
