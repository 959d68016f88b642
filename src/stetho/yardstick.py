"""By what two runs can be compared: their losses, or what else was recorded when the loss itself is another one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import TypeVar

from stetho.curves import roughness, shape
from stetho.facts import (
    ClassRecalls,
    Evaluations,
    Fact,
    LossCurve,
    LossInput,
    LossInputs,
    PlainLoss,
    Printed,
    PrintedNumber,
    Recorded,
    StepTimes,
)
from stetho.inquiry import Facts
from stetho.paired import SHARE, Difference, at_equal_steps, difference, doubts_at_equal_steps

F = TypeVar("F", bound=Fact)
# Losses that give the same number by other means.
ALIKE = ({"binary_cross_entropy", "binary_cross_entropy_with_logits"}, {"cross_entropy", "nll_loss"})
# Targets whose range differs by more than this factor are in other units.
OTHER_UNITS = 3.0
# Two runs of one program differ in speed by about as much on a machine that does other things, too.
PACE_SHARE = 0.15
PACE_BLOCKS = 8
# Printed values from which their noise can be told; and in how many standard errors a difference of few is counted.
LEAST_PRINTED, FEW_SIGMAS = 6, 3.5
# Samples of a class from which its recall says something.
LEAST_OF_CLASS = 4
# Blocks that the second half of a run is cut into, the steps each needs, and what the spread of so few is off by.
MEAN_BLOCKS, LEAST_OF_BLOCK, BLOCK_DOUBT = 12, 8, 1.2
# The measure of answers that mean yes or no by what the program alone knows.
PARTING = "share of labels told apart"
# Steps enough not to ask for more because there are few.
MANY = 10_000


@dataclass(frozen=True)
class Compared:
    """Two runs beside each other by one measure."""

    measure: str
    unit: str
    difference: Difference | None
    why: str = ""
    """Why it is not the loss, or why there is no difference to tell."""


def fact_in(facts: Facts, kind: type[F]) -> F | None:
    """The fact of a kind, where there is one."""
    entry = facts.get(kind)
    return entry[1] if entry is not None and isinstance(entry[1], kind) else None


def compare(base: Facts, changed: Facts, *, alters_loss: bool = False) -> Compared:
    """The two runs by their losses at equal steps, or by the next best measure when the losses mean different things.

    `alters_loss` is what the caller knows of the change; what was recorded may say so, too.
    """
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    pairs = at_equal_steps(one, two) if one is not None and two is not None else []
    other = "the change alters the loss itself" if alters_loss else altered(base, changed)
    if not other:
        doubts = doubts_at_equal_steps(one, two) if one is not None and two is not None else []
        return Compared("loss", "", difference(pairs, doubts), "" if pairs else "no step has a loss in both runs")
    others = (("accuracy", by_accuracy), ("explained variance", by_fit), (PARTING, by_parting))
    for measure, found in ((measure, way(base, changed)) for measure, way in others):
        if found is not None:
            return Compared(measure, "", found, other)
    if not alters_loss and "reduction" in other:
        return Compared("loss over its own start", "", difference(_scaled(pairs)), other)
    return Compared("loss", "", None, other)


def compare_means(base: Facts, changed: Facts) -> Compared:
    """The two runs by the mean loss of their second halves, step beside step: for values of so few samples that any
    shorter stretch of them is chance."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    pairs = at_equal_steps(one, two) if one is not None and two is not None else []
    pairs = pairs[len(pairs) // 2 :]
    width = len(pairs) // MEAN_BLOCKS
    if width < LEAST_OF_BLOCK or not all(math.isfinite(v) for pair in pairs for v in pair):
        return Compared("loss", "", None, "too few steps to tell")
    pairs = pairs[-width * MEAN_BLOCKS :]
    before, after = fmean(a for a, _ in pairs), fmean(b for _, b in pairs)
    levels = [fmean(a - b for a, b in pairs[i : i + width]) for i in range(0, len(pairs), width)]
    error = BLOCK_DOUBT * stdev(levels) / math.sqrt(MEAN_BLOCKS)
    matters = SHARE * max(abs(before), abs(after), 1e-12)
    return Compared("loss", "", Difference(before, after, before - after, error, matters, len(pairs), None))


def altered(base: Facts, changed: Facts) -> str:
    """In what the loss of the changed run is another one; empty when nothing recorded says so."""
    one, two = trained_site(base), trained_site(changed)
    if one is None or two is None:
        return ""
    if one.function != two.function and not any({one.function, two.function} <= names for names in ALIKE):
        return f"the change alters the loss itself: {one.function} became {two.function}"
    if one.reduction and two.reduction and one.reduction != two.reduction:
        return f"the change alters the loss itself: reduction {one.reduction} became {two.reduction}"
    if one.reduction == two.reduction == "sum" and one.batch != two.batch:
        return f"the change alters the loss itself: its reduction is a sum, of {one.batch} samples and then {two.batch}"
    spans = [_span(one), _span(two)]
    if all(spans) and not 1 / OTHER_UNITS < spans[1] / spans[0] < OTHER_UNITS:
        return "the change alters the loss itself: its targets are on another scale"
    return ""


def trained_site(facts: Facts) -> LossInput | None:
    """The loss call that training goes through most."""
    inputs = fact_in(facts, LossInputs)
    sites = [s for s in inputs.sites if s.trained and s.function != "log_softmax"] if inputs is not None else []
    return max(sites, key=lambda s: s.looked_at) if sites else None


def _span(site: LossInput) -> float:
    if site.target_low is None or site.target_high is None or site.classes is not None:
        return 0.0
    span = site.target_high - site.target_low
    return span if math.isfinite(span) else 0.0


def _scaled(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Both curves in units of their own first level: what is left when a loss is only multiplied."""
    shapes = [shape([p[side] for p in pairs]) for side in (0, 1)]
    starts = [s.start if s is not None and s.lowest > 0 else math.nan for s in shapes]
    return [(a / starts[0], b / starts[1]) for a, b in pairs]


def by_accuracy(base: Facts, changed: Facts) -> Difference | None:
    """Shares of right answers in the last calls that were looked at, with the error that so many answers have."""
    one, two = _right(base), _right(changed)
    if one is None or two is None:
        return None
    return _of_shares((one[0], two[0]), (one[1], two[1]))


def _of_shares(shares: tuple[float, float], counts: tuple[int, int]) -> Difference:
    # A share of 0 or 1 is not free of error: one more answer of each kind is thought of.
    guarded = [(s * n + 1) / (n + 2) for s, n in zip(shares, counts, strict=True)]
    error = math.sqrt(sum(g * (1 - g) / n for g, n in zip(guarded, counts, strict=True)))
    matters = max(0.02, 0.1 * (1 - min(shares)))
    # Answers of one batch are not independent of each other.
    return Difference(*shares, shares[1] - shares[0], 1.5 * error, matters, min(counts), None)


def by_parting(base: Facts, changed: Facts) -> Difference | None:
    """Shares of yes and no that the scores tell apart late in both runs, whatever value the loss makes mean yes."""
    one, two = trained_site(base), trained_site(changed)
    if one is None or two is None or one.parted_last is None or two.parted_last is None:
        return None
    return _of_shares((one.parted_last, two.parted_last), (_answers(one), _answers(two)))


def by_task(base: Facts, changed: Facts) -> list[tuple[str, Difference]]:
    """Each task by itself: the held-out scores that both runs print, or else the right answers of each trained loss."""
    printed = [fact_in(facts, Printed) for facts in (base, changed)]
    ours, theirs = (
        {n.name: n for n in (one.numbers if one else ()) if (n.kind, n.split) == ("score", "validation")}
        for one in printed
    )
    if ours.keys() & theirs.keys():
        return [(name, by_printed(ours[name], theirs[name])) for name in ours if name in theirs]
    inputs = [fact_in(facts, LossInputs) for facts in (base, changed)]
    sites = [
        {(s.function, s.where): s for s in (one.sites if one else ()) if s.trained and s.accuracy_last is not None}
        for one in inputs
    ]
    return [
        (
            f"accuracy of {key[0]}",
            _of_shares((s.accuracy_last or 0.0, t.accuracy_last or 0.0), (_answers(s), _answers(t))),
        )
        for key, s in sites[0].items()
        if (t := sites[1].get(key)) is not None
    ]


def _right(facts: Facts) -> tuple[float, int] | None:
    """The late share of right answers and how many it rests on: of a library loss, else of one in plain operations."""
    site, plain = trained_site(facts), fact_in(facts, PlainLoss)
    if site is not None and site.accuracy_whole is not None:
        return site.accuracy_whole, _answers(site)
    if site is not None and site.accuracy_last is not None:
        return site.accuracy_last, _answers(site)
    answered = [m for m in plain.meetings if m.accuracy_last is not None] if plain is not None else []
    if site is not None or not answered:
        return None
    best = max(answered, key=lambda m: m.looked_at)
    return best.accuracy_last or 0.0, min(5, best.looked_at) * max(1, best.shape[0])


def by_recall(base: Facts, changed: Facts) -> Difference | None:
    """The mean over classes of how many of each are found: what a class that dominates cannot hide."""
    one, two = fact_in(base, ClassRecalls), fact_in(changed, ClassRecalls)
    ours = {c.label: c for c in one.classes if c.given >= LEAST_OF_CLASS} if one is not None else {}
    theirs = {c.label: c for c in two.classes if c.given >= LEAST_OF_CLASS} if two is not None else {}
    shared = ours.keys() & theirs.keys()
    if len(shared) < 2:
        return None
    levels = [fmean(side[k].hits / side[k].given for k in shared) for side in (ours, theirs)]
    variance = 0.0
    for side in (ours, theirs):
        for k in shared:
            guarded = (side[k].hits + 1) / (side[k].given + 2)
            variance += guarded * (1 - guarded) / side[k].given
    error = 1.5 * math.sqrt(variance) / len(shared)
    matters = max(0.05, 0.1 * (1 - min(levels)))
    counts = min(sum(c.given for c in side.values()) for side in (ours, theirs))
    return Difference(levels[0], levels[1], levels[1] - levels[0], error, matters, counts, None)


def _answers(site: LossInput) -> int:
    return min(5, site.looked_at) * max(1, math.prod(site.target_shape or (site.batch or 1,)))


def by_fit(base: Facts, changed: Facts) -> Difference | None:
    """Shares of the targets' variance that the predictions account for, late in both runs."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    sites = trained_site(base), trained_site(changed)
    if one is None or two is None or one.explained is None or two.explained is None:
        return None
    counts = [c.explained_from or _targets(s) for c, s in zip((one, two), sites, strict=True)]
    unexplained = max(1 - one.explained, 1 - two.explained)
    error = unexplained * math.sqrt(sum(4 / n for n in counts))
    gain = two.explained - one.explained
    return Difference(one.explained, two.explained, gain, error, max(0.02, 0.1 * unexplained), min(counts), None)


def _targets(site: LossInput | None) -> int:
    return max(2, math.prod(site.target_shape or (site.batch or 2,))) if site is not None else 2


def compare_pace(base: Facts, changed: Facts) -> Compared:
    """Steps per second in both runs, the first step and evaluation left out."""
    one, two = pace(base), pace(changed)
    if one is None or two is None:
        return Compared("pace", " steps/s", None, "too few steps to tell their speed")
    (before, noise, count), (after, other, second) = one, two
    matters = PACE_SHARE * min(before, after)
    found = Difference(before, after, after - before, math.hypot(noise, other), matters, min(count, second), None)
    return Compared("pace", " steps/s", found)


def pace(facts: Facts) -> tuple[float, float, int] | None:
    """Steps per second, the standard error of it and the steps it rests on; None when those are too few."""
    times, whole = fact_in(facts, StepTimes), fact_in(facts, Recorded)
    seconds = times.seconds[1:] if times is not None else ()
    if times is None or len(seconds) < 2 * PACE_BLOCKS:
        return None
    spent = times.total - times.first - (times.validation_total or 0.0)
    count = (whole.recorded if whole is not None else len(times.seconds)) - 1
    # Steps that wait for a loader do so in turns; only the whole tells their mean, blocks tell how steady it is.
    mean = spent / count if spent > 0 and count > 0 else fmean(seconds)
    width = len(seconds) // PACE_BLOCKS
    blocks = [fmean(seconds[i * width : (i + 1) * width]) for i in range(PACE_BLOCKS)]
    middle = median(blocks)
    calm = [b for b in blocks if b < 3 * middle]
    spread = stdev(calm) / math.sqrt(len(calm)) if len(calm) > 2 else middle
    return 1 / mean, spread / mean**2, len(seconds)


def compare_printed(base: Facts, changed: Facts, *, scores: bool = False, marked: bool = False) -> Compared:
    """The two runs by what the program itself printed of how well it does, held-out numbers first; or scores only.

    Where it printed nothing that both have, by the losses that were seen in evaluations; these come before what is
    printed where only numbers `marked` as held-out are sure to be about the right data.
    """
    seen = evaluated(base, changed, scores=scores)
    one, two = fact_in(base, Printed), fact_in(changed, Printed)
    theirs = {number.name: number for number in two.numbers} if two is not None else {}
    for ours in one.results() if one is not None else ():
        other = theirs.get(ours.name)
        if (scores and ours.kind != "score") or (marked and seen is not None and ours.split != "validation"):
            continue
        if other is not None and math.isfinite(level(ours)) and math.isfinite(level(other)):
            return Compared(ours.name, "", by_printed(ours, other))
    if seen is not None:
        return Compared(seen[0].name, "", by_printed(*seen), "seen, not printed")
    return Compared("printed result", "", None, "the program printed no result that both runs have")


def evaluated(base: Facts, changed: Facts, *, scores: bool) -> tuple[PrintedNumber, PrintedNumber] | None:
    """Held-out evaluations of both runs at equal steps: right answers where they were seen, else the loss."""
    one, two = fact_in(base, Evaluations), fact_in(changed, Evaluations)
    ours = one.held_out() if one is not None else None
    theirs = two.like(ours) if ours is not None and two is not None else None
    if ours is None or theirs is None:
        return None
    same = [k for k, step in enumerate(ours.steps) if step <= theirs.steps[-1]]
    right = [ours.right[k] for k in same], list(theirs.right)
    if all(value is not None for side in right for value in side) and same:
        name, kind, found = "right answers in evaluation", "score", right
    else:
        name, kind, found = "loss in evaluation", "loss", ([ours.losses[k] for k in same], list(theirs.losses))
    sides = [[value for value in side if value is not None and math.isfinite(value)] for side in found]
    if (scores and kind != "score") or not all(sides):
        return None
    first, second = (PrintedNumber(name, kind, "validation", tuple(side)) for side in sides)
    return first, second


def by_printed(ours: PrintedNumber, theirs: PrintedNumber) -> Difference:
    """One printed number in both runs; a few points tell nothing of their noise, so that more is asked of them."""
    before, after = level(ours), level(theirs)
    few = min(len(ours.values), len(theirs.values)) < LEAST_PRINTED
    least, share = (0.05, 0.25) if few else (0.03, 0.15)
    top = top_of(ours, theirs)
    if ours.kind == "score" and top is not None:
        gain, matters = after - before, max(least * top, share * (top - max(before, after)))
    elif ours.kind == "score":
        gain, matters = after - before, share * max(abs(before), abs(after))
    else:
        gain, matters = before - after, share * max(abs(before), abs(after))
    noise = math.hypot(roughness(ours.values), roughness(theirs.values)) if not few else 0.0
    error = max(matters / FEW_SIGMAS, noise / math.sqrt(max(1, len(ours.values) // 5)))
    return Difference(before, after, gain, error, matters, MANY, None)


def level(number: PrintedNumber) -> float:
    """Where a printed number ends; of many, the median of the last."""
    values = number.values
    return median(values[-max(2, len(values) // 5) :]) if len(values) >= LEAST_PRINTED else values[-1]


def top_of(*numbers: PrintedNumber) -> float | None:
    """The best possible value of a score, where its range tells."""
    values = [value for number in numbers for value in number.values]
    if min(values) < 0:
        return None
    return 1.0 if max(values) <= 1 else 100.0 if max(values) <= 100 else None
