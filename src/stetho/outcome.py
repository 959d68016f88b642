"""Judging a changed run against the base: same, better, worse, symptom gone or a new failure, never by eye."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from stetho.best_result import gained, grown
from stetho.catalogue import Catalogue
from stetho.curves import shape
from stetho.experiment import ExperimentOutcome
from stetho.facts import LossCurve, Printed, RunEnd
from stetho.held_out import RIGHT
from stetho.inquiry import Facts, gravest, judge_all
from stetho.logged.roles import words_of
from stetho.paired import CLEAR, LEAST_PAIRS, SHARE, Difference, at_equal_steps, at_start, difference
from stetho.stretches import in_stretches, resized
from stetho.upkeep import compare_upkeep
from stetho.yardstick import (
    Compared,
    by_accuracy,
    by_fit,
    by_recall,
    compare,
    compare_means,
    compare_pace,
    compare_printed,
    fact_in,
    top_of,
)

# A stretch of late training shows these by nature; it is well as long as it stays where the run was.
OF_A_WHOLE_RUN = ("loss-flat", "loss-slow", "loss-high")
FAILURES = ("crash", "killed")
# What is left to see where nothing graver is; by itself it does not keep a graver symptom there.
MILD = "loss-high"
# What only held-out data shows: what training does then says nothing of the cure.
HELD_OUT = ("overfitting", "metric-stuck")
# A result that is too good is cured by one that is worse.
TOO_GOOD = "too-good"
# What a growing cost of steps shows.
OF_UPKEEP = ("memory-growing", "slow-training")
# A loss that ends this many times above its start, or above chance, has learned nothing by staying finite.
FAR_ABOVE = 2.0
# Where nothing else is wrong, a loss without labels may grow as the model gets better, but hardly so much.
BEYOND_GROWTH = 50.0
# The first loss knows of no step yet; a start of more than so many times as much is no start any more.
EXPLODED = 10.0
# The share of the best possible score that is as good as perfect.
PERFECT = 0.97


@dataclass(frozen=True)
class Judged:
    """What came of a change, in a word and in a sentence with its numbers."""

    outcome: ExperimentOutcome
    detail: str
    before: float | None = None
    after: float | None = None
    measure: str = "loss"
    """What `before` and `after` are: loss, loss over its own start, accuracy, explained variance or pace."""
    difference: Difference | None = None
    """The two runs beside each other, with the noise; None when the outcome rests on something else."""

    @property
    def certainty(self) -> float | None:
        """How sure it is that there is a difference of this sign at all; None where noise plays no part."""
        found = self.difference
        return None if found is None else math.erf(min(40.0, abs(found.sigmas)) / math.sqrt(2))


def judge_outcome(
    base: Facts,
    changed: Facts,
    catalogue: Catalogue,
    *,
    symptom: str | None = None,
    applied: bool = True,
    resumed: bool = False,
    alters: str = "",
    smoke: bool = False,
) -> Judged:
    """What a change did to a run, both on the same seed, with noise taken into account.

    `symptom` is what is wrong with the base (judged from its facts when None); `resumed` says that both runs go
    on from a kept state; `alters` is what the change declares to be beyond comparison as it is; a `smoke` asks about
    training alone.
    """
    if not applied:
        return Judged("not-applied", "the change had nothing to act on")
    was = gravest(catalogue, judge_all(catalogue, base)) if symptom is None else symptom
    now = gravest(catalogue, judge_all(catalogue, changed))
    if now == MILD and was not in (MILD, "none"):
        # What was wrong is gone; that more could still be learned is another matter.
        now = "none"
    if smoke:
        was, now = ("none" if one in (*HELD_OUT, TOO_GOOD) else one for one in (was, now))
    averaged = alters == "spread" or resized(base, changed)
    if averaged:
        whole = changed
        base, changed = in_stretches(base, changed)
        now = _over_stretches(catalogue, whole, changed)
    if alters == "scatter":
        now = _over_stretches(catalogue, changed, in_stretches(base, changed)[1])
    compared = (
        compare_means(base, changed) if alters == "scatter" else compare(base, changed, alters_loss=alters == "loss")
    )
    found = compared.difference
    if resumed and now in OF_A_WHOLE_RUN and not (found is not None and found.worse):
        now = "none"
    decided = _failure(base, changed, was, now) or _late(base, changed, was, now)
    if decided is not None:
        return decided
    if alters == "chance":
        return _by_chance(base, changed)
    if alters == "answers":
        return _by_perfection(base, changed)
    if alters == "start":
        return _by_start(base, changed, was, now)
    if alters == "time":
        return _by_pace(base, changed, found, was, now)
    if alters == "upkeep":
        return _by_upkeep(base, changed, was, now)
    if alters == "classes":
        return _by_recall(base, changed, was, now)
    if alters in ("best", "error"):
        return _by_best(base, changed) if alters == "best" else _by_error(base, changed, was, now)
    # Where no result is printed in both runs, right answers were counted all the same.
    counted = alters == "loss" and was in HELD_OUT and found is not None and compared.measure == "accuracy"
    unprinted = counted and compare_printed(base, changed).difference is None
    if (alters in ("evaluation", "held-out", "shared") or was in (*HELD_OUT, TOO_GOOD)) and not unprinted:
        return _by_result(base, changed, was, now, marked=alters == "shared")
    if _fails(base, was):
        return _from_failure(base, changed, was, now)
    if alters == "loss" and compared.measure != "accuracy" and _score_decides(base, changed):
        return _by_result(base, changed, was, now, scores=True)
    if alters == "targets" and _score_rises(base, changed):
        return _by_result(base, changed, was, now, scores=True)
    if found is None and alters == "loss":
        return _otherwise(base, changed, was, now, compared.why)
    if alters == "data" and compare_printed(base, changed).difference is not None:
        scored = compare_printed(base, changed, scores=True).difference is not None
        return _by_result(base, changed, was, now, scores=scored)
    if found is None:
        return Judged("undecided", compared.why or "too few steps to tell", *_levels(base, changed))
    gone = (
        was != "none"
        and now == "none"
        and found.steps >= LEAST_PAIRS
        and _shown_so_far(base, changed, catalogue, was, resumed, averaged)
    )
    if found.gain == 0 and found.error <= 1e-12:
        # Training is the same to the last digit: what else the change does shows in what is printed, if anywhere.
        shown = compare_printed(base, changed).difference
        if shown is not None and shown.clear:
            return _by_result(base, changed, was, now)
    told = _by_difference(compared, found, was, now, gone, _contradicted(base, changed, compared, found))
    own = _own_start(changed) if alters == "level" and told.outcome == "worse" and told.measure == "loss" else ""
    if own:
        # A higher level of other data is no finding, on however many seeds.
        detail = f"{_told(told.measure, told.before, told.after)}, {own}{_still(was, now)}"
        return replace(told, outcome="same", detail=detail, difference=None)
    return told


def _over_stretches(catalogue: Catalogue, whole: Facts, averaged: Facts) -> str:
    """The gravest symptom of a run: of its loss, as means over stretches show it; of all else, as single steps do."""
    curve: Facts = {kind: entry for kind, entry in averaged.items() if kind is LossCurve}
    shown = {one.check: one for one in judge_all(catalogue, curve) if one.outcome != "unknown"}
    return gravest(catalogue, tuple(shown.get(one.check, one) for one in judge_all(catalogue, whole)))


def _failure(base: Facts, changed: Facts, was: str, now: str) -> Judged | None:
    """A run that fails where the base does not, or the other way round."""
    levels = _levels(base, changed)
    end, ours = fact_in(changed, RunEnd), fact_in(base, RunEnd)
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
        return Judged("new-failure", f"{_told('loss', *levels)}, the loss is no longer finite", *levels)
    return None


def _fails(base: Facts, was: str) -> bool:
    curve = fact_in(base, LossCurve)
    return was == "loss-nonfinite" and curve is not None and curve.nonfinite_step is not None


def _late(base: Facts, changed: Facts, was: str, now: str) -> Judged | None:
    """A changed run that ended before the step at which the base fails says nothing of it."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    if was != "loss-nonfinite" or now == was or one is None or one.nonfinite_step is None:
        return None
    steps = (two.steps[-1] + 1 if two.steps else len(two.values)) if two is not None else 0
    if steps > one.nonfinite_step:
        return None
    words = f"it ended after {steps} steps, before step {one.nonfinite_step} at which the base fails"
    return Judged("undecided", words, *_levels(base, changed))


def _from_failure(base: Facts, changed: Facts, was: str, now: str) -> Judged:
    """The base ends in NaN: what stays finite near its start is better; what only explodes more slowly is the same."""
    before, after = math.nan, _levels(base, changed)[1]
    told = _told("loss", before, after)
    if after is None or not math.isfinite(after):
        return Judged("same", f"{told}, still {now}", before, after)
    if _exploded(changed, after, now):
        seen = _still(was, now) or ", now far above its start"
        return Judged("same", f"{told}, finite{seen}", before, after)
    if now == "none":
        return Judged("symptom-gone", f"{told}, {was} gone", before, after)
    return Judged("better", f"{told}, finite{_still(was, now)}", before, after)


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


def _shown_so_far(base: Facts, changed: Facts, catalogue: Catalogue, was: str, resumed: bool, averaged: bool) -> bool:
    """Whether the base shows its symptom within the steps that the changed run took, and in means over stretches where
    those are compared; else nothing can be gone."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    if one is None or two is None or resumed or not was.startswith("loss-"):
        return True
    steps = one.steps or tuple(range(len(one.values)))
    last = two.steps[-1] if two.steps else len(two.values) - 1
    size = sum(step <= last for step in steps)
    if size > 0.9 * len(steps) and not averaged:
        return True
    part = replace(one, values=one.values[:size], steps=steps[:size])
    shown = gravest(catalogue, judge_all(catalogue, {**base, LossCurve: ("", part)}))
    # What jumps about from step to step may be flat over stretches; either way it does not come down.
    return shown == was or (averaged and shown.startswith("loss-"))


def _contradicted(base: Facts, changed: Facts, compared: Compared, found: Difference) -> str:
    """What clearly says the opposite of the loss, where the change may have made the loss another one."""
    if compared.measure != "loss" or found.same_start or not found.clear:
        return ""
    for measure, other in (("accuracy", by_accuracy(base, changed)), ("explained variance", by_fit(base, changed))):
        if other is not None and other.clear and other.better != found.better:
            return f"{_told(measure, other.before, other.after)} says the opposite"
    return ""


def _by_difference(compared: Compared, found: Difference, was: str, now: str, gone: bool, contradicted: str) -> Judged:
    """The outcome that the difference allows, and no more than that."""
    told = _told(compared.measure, found.before, found.after) + (f" ({compared.why})" if compared.why else "")
    lower, higher = ("lower", "higher") if compared.measure.startswith("loss") else ("higher", "lower")
    still = _still(was, now)
    # A symptom has a limit that a small difference may cross; that it is not seen is said, and is no success.
    unseen = f"{was} no longer seen, but " if gone else ""

    def judged(outcome: ExperimentOutcome, words: str) -> Judged:
        return Judged(outcome, f"{told}, {words}", found.before, found.after, compared.measure, found)

    if contradicted:
        return judged("undecided", contradicted)
    if gone and (found.better or (not was.startswith("loss-") and not found.worse)):
        return judged("symptom-gone", f"{was} gone")
    if found.better:
        return judged("better", f"clearly {lower}{still}")
    if found.worse:
        return judged("worse", f"{unseen}clearly {higher}{still}")
    if found.gain == 0 and found.error <= 1e-12:
        return judged("same", f"the same to the last digit{still}")
    # That a symptom is still there is an answer, however noisy the curve that shows it.
    if found.excluded or (was != "none" and now == was):
        return judged("same", f"{unseen}no clear difference{still}")
    return judged("undecided", f"{unseen}noise decides: {found.gain:+.2g} ± {found.error:.2g}{still}")


def _own_start(changed: Facts) -> str:
    """How a run on other data falls from its own start, in words; empty where it rises, or where that is not known."""
    curve = fact_in(changed, LossCurve)
    seen = shape(curve.values) if curve is not None else None
    if seen is None or seen.end > seen.start + CLEAR * seen.error:
        return ""
    falls = "falls" if seen.start - seen.end > SHARE * abs(seen.start) else "hardly falls"
    return f"{falls} from its own start {seen.start:.4g}; its data may be harder than the rest"


def _by_chance(base: Facts, changed: Facts) -> Judged:
    """The outcome of a run in which only what nobody seeds is another: the same to the last digit, or not."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    pairs = at_equal_steps(one, two) if one is not None and two is not None else []
    if len(pairs) < LEAST_PAIRS:
        return Judged("undecided", "too few steps to tell")
    apart = next((k for k, (a, b) in enumerate(pairs) if a != b and not (math.isnan(a) and math.isnan(b))), None)
    before, after = pairs[-1]
    if apart is None:
        return Judged("same", f"the same losses to the last digit in {len(pairs)} steps", before, after)
    first = f"{pairs[apart][0]:.6g} and {pairs[apart][1]:.6g}"
    return Judged("worse", f"the losses differ from step {apart} on, {first}, with the same seed", before, after)


def _by_perfection(base: Facts, changed: Facts) -> Judged:
    """The outcome of a run whose held-out answers are all right: its accuracy is perfect, or is not made of them."""
    one, two = fact_in(base, Printed), fact_in(changed, Printed)
    # A score of training, or one that does not say what it is of, has nothing to do with these answers.
    theirs = {n.name: n for n in two.numbers if n.split == "validation"} if two is not None else {}
    held = [n for n in one.results() if n.kind == "score" and n.split == "validation"] if one is not None else []
    ours = [n for n in held if n.name in theirs and words_of(n.name) & RIGHT]
    top = top_of(ours[0], theirs[ours[0].name]) if ours else None
    if not ours or top is None:
        return Judged("undecided", "no accuracy on held-out data is printed in both runs", measure="printed result")
    name, before, after = ours[0].name, ours[0].values[-1], theirs[ours[0].name].values[-1]
    if len(theirs[name].values) < 2:
        return Judged("undecided", "only one evaluation was made", before, after, name)
    told = f"with every answer right, printed {name} {before:.4g} -> {after:.4g}"
    if after >= PERFECT * top:
        return Judged("better", f"{told}, which is perfect", before, after, name)
    return Judged("same", f"{told}, where {top:g} is perfect", before, after, name)


def _by_start(base: Facts, changed: Facts, was: str, now: str) -> Judged:
    """The outcome by the first steps, from which a run may recover; else by the end, as a rate changes all of it."""
    one, two = fact_in(base, LossCurve), fact_in(changed, LossCurve)
    pairs = at_equal_steps(one, two) if one is not None and two is not None else []
    found, end = at_start(pairs), difference(pairs)
    if found is None or end is None:
        return Judged("undecided", "too few steps to tell", *_levels(base, changed))
    where, told = ("first", found) if found.clear or not end.clear else ("final", end)
    measure = "loss" if where == "final" else f"loss of the first {found.steps} steps"
    words = f"{where} loss {told.before:.4g} -> {told.after:.4g}"
    outcome: ExperimentOutcome = "better" if told.better else "worse" if told.worse else "same"
    if outcome == "better" and end.worse:
        return Judged("undecided", f"{words}, and clearly higher at the end", told.before, told.after, measure, told)
    if outcome == "better" and was != "none" and now == "none":
        outcome, words = "symptom-gone", f"{words}, {was} gone"
    elif outcome == "same" and not (found.excluded and end.excluded):
        outcome, words = "undecided", f"{words}, noise decides: {found.gain:+.2g} ± {found.error:.2g}"
    ending = {"better": ", clearly lower", "worse": ", clearly higher", "same": ", no clear difference"}
    return Judged(
        outcome, f"{words}{ending.get(outcome, '')}{_still(was, now)}", told.before, told.after, measure, told
    )


def _by_pace(base: Facts, changed: Facts, loss: Difference | None, was: str, now: str) -> Judged:
    """The outcome of a change that is about time; what it does to the loss is told when it is a loss."""
    compared = compare_pace(base, changed)
    found = compared.difference
    if found is None:
        return Judged("undecided", compared.why, measure="pace")
    told = f"{found.before:.3g} → {found.after:.3g} steps/s"
    told += ", but the loss is clearly higher" if loss is not None and loss.worse else ""
    if found.better and was == "slow-training" and now == "none":
        outcome: ExperimentOutcome = "symptom-gone"
    elif found.clear:
        outcome = "better" if found.better else "worse"
    elif found.excluded:
        outcome, told = "same", f"{told}, no clear difference"
    else:
        outcome, told = "undecided", f"{told}, noise decides: ± {found.error:.2g}"
    return Judged(outcome, told, found.before, found.after, "pace", found)


def _by_upkeep(base: Facts, changed: Facts, was: str, now: str) -> Judged:
    """The outcome of a change that is about what steps come to cost; a symptom of that must go with it."""
    found = compare_upkeep(base, changed)
    gone = was in OF_UPKEEP and now == "none"
    outcome: ExperimentOutcome = "symptom-gone" if gone and found.outcome != "worse" else found.outcome
    told = f"{found.told}, {was} gone" if outcome == "symptom-gone" else f"{found.told}{_still(was, now)}"
    return Judged(outcome, told, measure="upkeep")


def _otherwise(base: Facts, changed: Facts, was: str, now: str, why: str) -> Judged:
    """The outcome where losses cannot be compared: by a score that the program prints, else by how each run fares."""
    if compare_printed(base, changed, scores=True).difference is not None:
        return _by_result(base, changed, was, now, scores=True)
    levels, curve = _levels(base, changed), fact_in(changed, LossCurve)
    seen = shape(curve.values) if curve is not None else None
    if not was.startswith("loss-") or seen is None or seen.steps < LEAST_PAIRS:
        return Judged("undecided", why, *levels)
    if now == was:
        return Judged("same", f"{why}; still {now}", *levels)
    if now == "none" and seen.start - seen.end > max(SHARE * abs(seen.start), CLEAR * seen.error):
        return Judged("symptom-gone", f"{why}; falls from {seen.start:.4g} to {seen.end:.4g}, {was} gone", *levels)
    return Judged("undecided", f"{why}{_still(was, now)}", *levels)


def _score_decides(base: Facts, changed: Facts) -> bool:
    """Whether a score that the program prints differs clearly, however its losses compare."""
    shown = compare_printed(base, changed, scores=True).difference
    return shown is not None and shown.clear


def _score_rises(base: Facts, changed: Facts) -> bool:
    """Whether a score that the program prints gets clearly better; one that gets worse may ask what the loss asked."""
    shown = compare_printed(base, changed, scores=True)
    return shown.difference is not None and shown.difference.better and not shown.why


def _by_result(
    base: Facts, changed: Facts, was: str, now: str, *, scores: bool = False, marked: bool = False
) -> Judged:
    """The outcome by what the program printed of how well it does."""
    compared = compare_printed(base, changed, scores=scores, marked=marked)
    found = compared.difference
    if found is None:
        return Judged("undecided", compared.why, measure="printed result")
    told = f"{'' if compared.why else 'printed '}{compared.measure} {found.before:.4g} -> {found.after:.4g}"
    outcome: ExperimentOutcome = "better" if found.better else "worse" if found.worse else "same"
    if (
        (scores and found.better and was.startswith("loss-") and now == "none")
        or (was == TOO_GOOD and now != TOO_GOOD and found.worse)
        or (was in HELD_OUT and now == "none" and not found.worse)
    ):
        outcome, told = "symptom-gone", f"{told}, {was} gone"
    elif outcome == "same":
        told = f"{told}, no clear difference"
    return Judged(outcome, f"{told}{_still(was, now)}", found.before, found.after, compared.measure, found)


def _by_best(base: Facts, changed: Facts) -> Judged:
    """The outcome by the best held-out result, beside what knowing nothing gives."""
    found = gained(base, changed)
    if found is None:
        return Judged("undecided", "no held-out result tells what was learned", measure="held-out result")
    told = f"best {found.name} {found.before:.4g} -> {found.after:.4g}, where knowing nothing gives {found.nothing:.4g}"
    ending = {"worse": "clearly worse", "better": "clearly better", "same": "about as good"}.get(found.outcome)
    return Judged(
        found.outcome, f"{told}, {ending or 'noise decides'}", found.before, found.after, f"best {found.name}"
    )


def _by_error(base: Facts, changed: Facts, was: str, now: str) -> Judged:
    """The outcome by how many times the error on held-out data grows."""
    found = grown(base, changed)
    if found is None:
        return Judged("undecided", "no held-out result tells its error", measure="held-out error")
    told = f"error by {found.name} {found.before:.4g} -> {found.after:.4g}"
    outcome = found.outcome
    if outcome == "worse" and was == TOO_GOOD and now != TOO_GOOD:
        return Judged("symptom-gone", f"{told}, {was} gone", found.before, found.after, f"error by {found.name}")
    ending = {"worse": "clearly larger", "better": "clearly smaller", "same": "not by more than less data explains"}
    return Judged(
        outcome, f"{told}, {ending.get(outcome, 'too little to tell')}", found.before, found.after,
        f"error by {found.name}",
    )  # fmt: skip


def _by_recall(base: Facts, changed: Facts, was: str, now: str) -> Judged:
    """The outcome by how many of each class are found, every class counted alike."""
    found = by_recall(base, changed)
    if found is None:
        return Judged("undecided", "too few answers of each class were seen", measure="recall")
    told = f"mean recall over classes {found.before:.4g} -> {found.after:.4g}"
    outcome: ExperimentOutcome = "better" if found.better else "worse" if found.worse else "same"
    if was != "none" and now == "none" and found.better:
        outcome, told = "symptom-gone", f"{told}, {was} gone"
    elif outcome == "same":
        told = f"{told}, no clear difference"
    return Judged(outcome, f"{told}{_still(was, now)}", found.before, found.after, "recall", found)


def _levels(base: Facts, changed: Facts) -> tuple[float | None, float | None]:
    """The losses at which the two runs end; NaN for one that has stopped being finite."""
    return _end(fact_in(base, LossCurve)), _end(fact_in(changed, LossCurve))


def _end(curve: LossCurve | None) -> float | None:
    if curve is None or not curve.values:
        return None
    if any(not math.isfinite(v) for v in curve.values):
        return math.nan
    seen = shape(curve.values)
    return seen.end if seen is not None else curve.values[-1]


def _told(measure: str, before: float | None, after: float | None) -> str:
    one, two = ("?" if level is None else f"{level:.4g}" for level in (before, after))
    return f"final {measure} {one} -> {two}"


def _still(was: str, now: str) -> str:
    """The changed run's own symptom, as the end of a sentence; empty when it has none."""
    return f", {'still' if now == was else 'now'} {now}" if now != "none" else ""
