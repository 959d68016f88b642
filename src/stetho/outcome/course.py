"""Judging by how a run goes rather than where its loss ends: its first steps, its speed, its cost, each digit of it."""

from __future__ import annotations

import math

from stetho.experiment import ExperimentOutcome
from stetho.facts import RankWaiting
from stetho.interventions.others_held_up import PART
from stetho.outcome.judged import Judged
from stetho.outcome.pair import Pair
from stetho.paired import LEAST_PAIRS, at_start, difference
from stetho.upkeep import compare_upkeep
from stetho.yardstick import compare_pace, fact_in

# Standard errors by which a slowing must be ruled out.
SURE = 2.0
# What a growing cost of steps shows.
OF_UPKEEP = ("memory-growing", "slow-training")


def by_chance(pair: Pair) -> Judged:
    """The outcome of a run in which only what nobody seeds is another: the same to the last digit, or not."""
    pairs = pair.steps
    if len(pairs) < LEAST_PAIRS:
        return Judged("undecided", "too few steps to tell")
    apart = next((k for k, (a, b) in enumerate(pairs) if a != b and not (math.isnan(a) and math.isnan(b))), None)
    before, after = pairs[-1]
    if apart is None:
        return Judged("same", f"the same losses to the last digit in {len(pairs)} steps", before, after)
    first = f"{pairs[apart][0]:.6g} and {pairs[apart][1]:.6g}"
    return Judged("worse", f"the losses differ from step {apart} on, {first}, with the same seed", before, after)


def by_start(pair: Pair) -> Judged:
    """The outcome by the first steps, from which a run may recover; else by the end, as a rate changes all of it."""
    found, end = at_start(pair.steps), difference(pair.steps)
    if found is None or end is None:
        return Judged("undecided", "too few steps to tell", *pair.levels)
    where, told = ("first", found) if found.clear or not end.clear else ("final", end)
    measure = "loss" if where == "final" else f"loss of the first {found.steps} steps"
    words = f"{where} loss {told.before:.4g} -> {told.after:.4g}"
    outcome: ExperimentOutcome = "better" if told.better else "worse" if told.worse else "same"
    if outcome == "better" and end.worse:
        return Judged("undecided", f"{words}, and clearly higher at the end", told.before, told.after, measure, told)
    if outcome == "better" and pair.was != "none" and pair.now == "none":
        outcome, words = "symptom-gone", f"{words}, {pair.was} gone"
    elif outcome == "same" and not (found.excluded and end.excluded):
        outcome, words = "undecided", f"{words}, noise decides: {found.gain:+.2g} ± {found.error:.2g}"
    ending = {"better": ", clearly lower", "worse": ", clearly higher", "same": ", no clear difference"}
    return Judged(outcome, f"{words}{ending.get(outcome, '')}{pair.still}", told.before, told.after, measure, told)


def by_pace(pair: Pair) -> Judged:
    """The outcome of a change that is about time; what it does to the loss is told when it is a loss."""
    compared = compare_pace(pair.base, pair.changed)
    found, loss = compared.difference, pair.found
    if found is None:
        return Judged("undecided", compared.why, measure="pace")
    told = f"{found.before:.3g} → {found.after:.3g} steps/s"
    told += ", but the loss is clearly higher" if loss is not None and loss.worse else ""
    if found.better and pair.was == "slow-training" and pair.now == "none":
        outcome: ExperimentOutcome = "symptom-gone"
    elif found.clear:
        outcome = "better" if found.better else "worse"
    elif found.excluded:
        outcome, told = "same", f"{told}, no clear difference"
    else:
        outcome, told = "undecided", f"{told}, noise decides: ± {found.error:.2g}"
    return Judged(outcome, told, found.before, found.after, "pace", found)


def by_slowing(pair: Pair) -> Judged:
    """The outcome of time that is taken from the run on purpose: whether it gets slower; faster is no slower."""
    compared = compare_pace(pair.base, pair.changed)
    found = compared.difference
    if found is None:
        return Judged("undecided", compared.why, measure="pace")
    told = f"{found.before:.3g} → {found.after:.3g} steps/s"
    waiting = fact_in(pair.base, RankWaiting)
    # What it would come to if nobody had time to spare.
    due = found.matters if waiting is None else found.before - 1 / (1 / found.before + PART * waiting.spare)
    lost = -found.gain
    if found.worse and lost > 0.6 * due:
        outcome: ExperimentOutcome = "worse"
    elif lost < 0.4 * due and lost + SURE * found.error < 0.8 * due:
        outcome, told = "same", f"{told}, where {found.before - due:.3g} were due if it counted"
    else:
        outcome, told = "undecided", f"{told}, noise decides: ± {found.error:.2g}"
    return Judged(outcome, told, found.before, found.after, "pace", found)


def by_upkeep(pair: Pair) -> Judged:
    """The outcome of a change that is about what steps come to cost; a symptom of that must go with it."""
    found = compare_upkeep(pair.base, pair.changed)
    gone = pair.was in OF_UPKEEP and pair.now == "none"
    outcome: ExperimentOutcome = "symptom-gone" if gone and found.outcome != "worse" else found.outcome
    told = f"{found.told}, {pair.was} gone" if outcome == "symptom-gone" else f"{found.told}{pair.still}"
    return Judged(outcome, told, measure="upkeep")
