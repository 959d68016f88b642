"""Judging by the losses of both runs, and by what stands in for them where they cannot be compared."""

from __future__ import annotations

from dataclasses import replace

from stetho.curves import shape
from stetho.experiment import ExperimentOutcome
from stetho.facts import LineLoss, LossCurve, StepLosses
from stetho.inquiry import gravest, judge_all
from stetho.outcome.failures import from_failure
from stetho.outcome.judged import Judged, told
from stetho.outcome.pair import BEYOND_TRAINING, HELD_OUT, Pair
from stetho.outcome.results import by_result, score_decides, score_rises
from stetho.paired import CLEAR, LEAST_PAIRS, SHARE, Difference, at_equal_steps, difference, steady_gap
from stetho.yardstick import PARTING, by_accuracy, by_fit, compare_printed, fact_in

# Of the loss, the share that counts as something where a little is much, and the standard errors that make it sure.
FAINT, SURE = 0.005, 5.0
# Losses that share a model may get in each other's way a little; by more of its level, one is learned for the other.
COST = 0.3


def by_loss(pair: Pair) -> Judged:
    """The outcome by losses that compare as they are."""
    return _beside_losses(pair) or _from_losses(pair)


def by_each_loss(pair: Pair) -> Judged:
    """The outcome where a step has several losses, each called backward on: one that comes to be learned tells, unless
    it is at the cost of another."""
    judged = by_loss(pair)
    one, two = fact_in(pair.base, StepLosses), fact_in(pair.changed, StepLosses)
    if one is None or two is None or pair.was in BEYOND_TRAINING or judged.measure != "loss":
        return judged
    after = dict(zip((line.where for line in two.lines), two.lines, strict=True))
    both = [(line, after[line.where]) for line in one.lines if line.where in after]
    apart = [(theirs, difference(at_equal_steps(curve_of(ours), curve_of(theirs)))) for ours, theirs in both]
    told_by = [(line, found) for line, found in apart if found is not None and found.clear]
    gained = [entry for entry in told_by if entry[1].gain > 0]
    lost = [entry for entry in told_by if entry[1].gain < -COST * abs(entry[1].before)]
    if gained and lost:
        words = "; ".join(f"{told('loss', found.before, found.after)} at {line.where}" for line, found in told_by)
        return replace(judged, outcome="undecided", detail=f"{words}: one gains what another loses")
    if not gained or judged.outcome not in ("same", "undecided"):
        return judged
    line, found = max(gained, key=lambda entry: entry[1].gain / max(abs(entry[1].before), 1e-12))
    words = f"{told('loss', found.before, found.after)} at {line.where}, clearly lower{pair.still}"
    return Judged("better", words, found.before, found.after, "loss", found)


def curve_of(line: LineLoss) -> LossCurve:
    """The losses of one line as a curve."""
    return LossCurve(line.values, line.steps, line.where)


def by_any_loss(pair: Pair) -> Judged:
    """The outcome where a little is much: the second half of both runs, step beside step, may tell what its end does
    not."""
    judged = by_loss(pair)
    one, two = pair.curves
    if judged.outcome not in ("same", "undecided") or one is None or two is None or pair.resumed:
        return judged
    both = at_equal_steps(one, two)
    lost = steady_gap(both[len(both) // 2 :])
    if lost is None or lost[0] > -FAINT * abs(judged.before or 0.0) or lost[0] > -SURE * lost[1]:
        return judged
    detail = f"{told('loss', judged.before, judged.after)}, a little higher, and by more than chance{pair.still}"
    return replace(judged, outcome="worse", detail=detail)


def by_other_loss(pair: Pair) -> Judged:
    """The outcome where the loss is another one: by answers or scores, else by how each run fares."""
    if _only_counted(pair):
        return _from_losses(pair)
    decided = _beside_losses(pair)
    if decided is not None:
        return decided
    if pair.compared.measure != "accuracy" and score_decides(pair):
        return by_result(pair, scores=True)
    # What the program makes of its answers comes before what could be made of them.
    printed = compare_printed(pair.base, pair.changed, scores=True).difference is not None
    if pair.compared.measure == PARTING and printed:
        return by_result(pair, scores=True)
    return _otherwise(pair) if pair.found is None else _from_losses(pair)


def by_other_targets(pair: Pair) -> Judged:
    """The outcome by a printed score that rises; else by the losses, which ask for something else."""
    decided = _beside_losses(pair)
    if decided is None and score_rises(pair):
        return by_result(pair, scores=True)
    return decided or _from_losses(pair)


def by_other_data(pair: Pair) -> Judged:
    """The outcome by a result that both runs print, a score if there is one; else by the losses on other data."""
    decided = _beside_losses(pair)
    if decided is None and compare_printed(pair.base, pair.changed).difference is not None:
        scored = compare_printed(pair.base, pair.changed, scores=True).difference is not None
        return by_result(pair, scores=scored)
    return decided or _from_losses(pair)


def by_other_level(pair: Pair) -> Judged:
    """The outcome by the losses, where a higher one may be that of harder data."""
    decided = _beside_losses(pair) or _in_results_alone(pair)
    if decided is not None:
        return decided
    found = _by_difference(pair)
    own = _own_start(pair) if found.outcome == "worse" and found.measure == "loss" else ""
    if not own:
        return found
    # A higher level of other data is no finding, on however many seeds.
    detail = f"{told(found.measure, found.before, found.after)}, {own}{pair.still}"
    return replace(found, outcome="same", detail=detail, difference=None)


def _beside_losses(pair: Pair) -> Judged | None:
    """What decides whatever the losses say: results where the symptom is one of theirs, a base that ends in NaN."""
    return by_result(pair) if pair.was in BEYOND_TRAINING else from_failure(pair)


def _from_losses(pair: Pair) -> Judged:
    return _in_results_alone(pair) or _by_difference(pair)


def _only_counted(pair: Pair) -> bool:
    """Whether no result is printed in both runs, where right answers were counted all the same."""
    counted = pair.was in HELD_OUT and pair.found is not None and pair.compared.measure == "accuracy"
    return counted and compare_printed(pair.base, pair.changed).difference is None


def _in_results_alone(pair: Pair) -> Judged | None:
    """Where training is the same to the last digit, what else the change does shows in what is printed, if anywhere."""
    if pair.found is None or not _identical(pair.found):
        return None
    shown = compare_printed(pair.base, pair.changed).difference
    return by_result(pair) if shown is not None and shown.clear else None


def _identical(found: Difference) -> bool:
    return found.gain == 0 and found.error <= 1e-12


def _by_difference(pair: Pair) -> Judged:
    """The outcome that the difference allows, and no more than that."""
    compared, found, was, still = pair.compared, pair.found, pair.was, pair.still
    if found is None:
        return Judged("undecided", compared.why or "too few steps to tell", *pair.levels)
    begins = told(compared.measure, found.before, found.after) + (f" ({compared.why})" if compared.why else "")

    def judged(outcome: ExperimentOutcome, words: str) -> Judged:
        return Judged(outcome, f"{begins}, {words}", found.before, found.after, compared.measure, found)

    contradicted = _contradicted(pair, found)
    if contradicted:
        return judged("undecided", contradicted)
    lower, higher = ("lower", "higher") if compared.measure.startswith("loss") else ("higher", "lower")
    gone = _gone(pair, found)
    # A symptom has a limit that a small difference may cross; that it is not seen is said, and is no success.
    unseen = f"{was} no longer seen, but " if gone else ""
    if gone and (found.better or (not was.startswith("loss-") and not found.worse)):
        return judged("symptom-gone", f"{was} gone")
    if found.better:
        return judged("better", f"clearly {lower}{still}")
    if found.worse:
        return judged("worse", f"{unseen}clearly {higher}{still}")
    if _identical(found):
        return judged("same", f"the same to the last digit{still}")
    # That a symptom is still there is an answer, however noisy the curve that shows it.
    if found.excluded or (was != "none" and pair.now == was):
        return judged("same", f"{unseen}no clear difference{still}")
    return judged("undecided", f"{unseen}noise decides: {found.gain:+.2g} ± {found.error:.2g}{still}")


def _contradicted(pair: Pair, found: Difference) -> str:
    """What clearly says the opposite of the loss, where the change may have made the loss another one."""
    if pair.compared.measure != "loss" or found.same_start or not found.clear:
        return ""
    others = (by_accuracy(pair.base, pair.changed), by_fit(pair.base, pair.changed))
    for measure, other in zip(("accuracy", "explained variance"), others, strict=True):
        if other is not None and other.clear and other.better != found.better:
            return f"{told(measure, other.before, other.after)} says the opposite"
    return ""


def _gone(pair: Pair, found: Difference) -> bool:
    """Whether the symptom of the base is not seen any more, in enough steps to show it."""
    return pair.was != "none" and pair.now == "none" and found.steps >= LEAST_PAIRS and _shown_so_far(pair)


def _shown_so_far(pair: Pair) -> bool:
    """Whether the base shows its symptom within the steps that the changed run took, and in means over stretches where
    those are compared; else nothing can be gone."""
    one, two = pair.curves
    if one is None or two is None or pair.resumed or not pair.was.startswith("loss-"):
        return True
    steps = one.steps or tuple(range(len(one.values)))
    last = two.steps[-1] if two.steps else len(two.values) - 1
    size = sum(step <= last for step in steps)
    if size > 0.9 * len(steps) and not pair.averaged:
        return True
    part = replace(one, values=one.values[:size], steps=steps[:size])
    shown = gravest(pair.catalogue, judge_all(pair.catalogue, {**pair.base, LossCurve: ("", part)}))
    # What jumps about from step to step may be flat over stretches; either way it does not come down.
    return shown == pair.was or (pair.averaged and shown.startswith("loss-"))


def _own_start(pair: Pair) -> str:
    """How a run on other data falls from its own start, in words; empty where it rises, or where that is not known."""
    curve = pair.curves[1]
    seen = shape(curve.values) if curve is not None else None
    if seen is None or seen.end > seen.start + CLEAR * seen.error:
        return ""
    falls = "falls" if seen.start - seen.end > SHARE * abs(seen.start) else "hardly falls"
    return f"{falls} from its own start {seen.start:.4g}; its data may be harder than the rest"


def _otherwise(pair: Pair) -> Judged:
    """The outcome where losses cannot be compared: by a score that the program prints, else by how each run fares."""
    if compare_printed(pair.base, pair.changed, scores=True).difference is not None:
        return by_result(pair, scores=True)
    was, now, why, levels, curve = pair.was, pair.now, pair.compared.why, pair.levels, pair.curves[1]
    seen = shape(curve.values) if curve is not None else None
    if not was.startswith("loss-") or seen is None or seen.steps < LEAST_PAIRS:
        return Judged("undecided", why, *levels)
    if now == was:
        return Judged("same", f"{why}; still {now}", *levels)
    if now == "none" and seen.start - seen.end > max(SHARE * abs(seen.start), CLEAR * seen.error):
        return Judged("symptom-gone", f"{why}; falls from {seen.start:.4g} to {seen.end:.4g}, {was} gone", *levels)
    return Judged("undecided", f"{why}{pair.still}", *levels)
