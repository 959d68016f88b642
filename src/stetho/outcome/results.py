"""Judging by how well a program does beyond its training loss: what it prints, what was seen in its evaluations."""

from __future__ import annotations

from stetho.best_result import gained, grown
from stetho.experiment import ExperimentOutcome
from stetho.facts import Printed
from stetho.held_out import RIGHT
from stetho.logged.roles import words_of
from stetho.outcome.failures import from_failure
from stetho.outcome.judged import Judged
from stetho.outcome.pair import HELD_OUT, TOO_GOOD, Pair
from stetho.yardstick import by_recall, by_task, compare_printed, fact_in, top_of

# The share of the best possible score that is as good as perfect.
PERFECT = 0.97


def by_result(pair: Pair, *, scores: bool = False, marked: bool = False) -> Judged:
    """The outcome by what the program printed of how well it does."""
    was, now = pair.was, pair.now
    compared = compare_printed(pair.base, pair.changed, scores=scores, marked=marked)
    found = compared.difference
    if found is None:
        return Judged("undecided", compared.why, measure="printed result")
    told = f"{'' if compared.why else 'printed '}{compared.measure} {found.before:.4g} -> {found.after:.4g}"
    outcome: ExperimentOutcome = "better" if found.better else "worse" if found.worse else "same"
    if (
        (found.better and was.startswith("loss-") and now in ("none", TOO_GOOD))
        or (was == TOO_GOOD and now != TOO_GOOD and found.worse)
        or (was in HELD_OUT and now == "none" and not found.worse)
    ):
        outcome, told = "symptom-gone", f"{told}, {was} gone"
    elif outcome == "same":
        told = f"{told}, no clear difference"
    return Judged(outcome, f"{told}{pair.still}", found.before, found.after, compared.measure, found)


def by_marked_result(pair: Pair) -> Judged:
    """The outcome by results that are sure to be about held-out data."""
    return by_result(pair, marked=True)


def score_decides(pair: Pair) -> bool:
    """Whether a score that the program prints differs clearly, however its losses compare."""
    shown = compare_printed(pair.base, pair.changed, scores=True).difference
    return shown is not None and shown.clear


def score_rises(pair: Pair) -> bool:
    """Whether a score that the program prints gets clearly better; one that gets worse may ask what the loss asked."""
    shown = compare_printed(pair.base, pair.changed, scores=True)
    return shown.difference is not None and shown.difference.better and not shown.why


def by_tasks(pair: Pair) -> Judged:
    """The outcome by each of several tasks: one is done clearly better, and none clearly worse."""
    failed = from_failure(pair)
    if failed is not None:
        return failed
    found = by_task(pair.base, pair.changed)
    if not found:
        return Judged("undecided", "no answers of a task are told in both runs", measure="tasks")
    best, most = max(found, key=lambda one: one[1].gain / max(one[1].error, 1e-12))
    lost = next((name for name, one in found if one.worse), "")
    told = f"{best} {most.before:.4g} -> {most.after:.4g}"
    outcome: ExperimentOutcome = (
        "worse" if lost and not most.better else "same" if lost or not most.better else "better"
    )
    if lost:
        told = f"{told}, and {lost} gets worse"
    elif outcome == "better" and pair.was != "none" and pair.now == "none":
        outcome, told = "symptom-gone", f"{told}, {pair.was} gone"
    elif outcome == "same":
        told = f"{told}, no task is done clearly better"
    return Judged(outcome, f"{told}{pair.still}", most.before, most.after, best, most)


def by_best(pair: Pair) -> Judged:
    """The outcome by the best held-out result, beside what knowing nothing gives."""
    found = gained(pair.base, pair.changed)
    if found is None:
        return Judged("undecided", "no held-out result tells what was learned", measure="held-out result")
    told = f"best {found.name} {found.before:.4g} -> {found.after:.4g}, where knowing nothing gives {found.nothing:.4g}"
    ending = {"worse": "clearly worse", "better": "clearly better", "same": "about as good"}.get(found.outcome)
    return Judged(
        found.outcome, f"{told}, {ending or 'noise decides'}", found.before, found.after, f"best {found.name}"
    )


def by_best_or_score(pair: Pair) -> Judged:
    """The outcome by the best held-out result; where that is as good, by a score that is clearly better at the end."""
    best = by_best(pair)
    if best.outcome in ("better", "worse", "symptom-gone"):
        return best
    scored = by_result(pair, scores=True)
    return scored if scored.outcome in ("better", "symptom-gone") else best


def by_error(pair: Pair) -> Judged:
    """The outcome by how many times the error on held-out data grows."""
    found = grown(pair.base, pair.changed)
    if found is None:
        return Judged("undecided", "no held-out result tells its error", measure="held-out error")
    told = f"error by {found.name} {found.before:.4g} -> {found.after:.4g}"
    outcome = found.outcome
    if outcome == "worse" and pair.was == TOO_GOOD and pair.now != TOO_GOOD:
        return Judged("symptom-gone", f"{told}, {pair.was} gone", found.before, found.after, f"error by {found.name}")
    ending = {"worse": "clearly larger", "better": "clearly smaller", "same": "not by more than less data explains"}
    return Judged(
        outcome, f"{told}, {ending.get(outcome, 'too little to tell')}", found.before, found.after,
        f"error by {found.name}",
    )  # fmt: skip


def by_class_recall(pair: Pair) -> Judged:
    """The outcome by how many of each class are found, every class counted alike."""
    found = by_recall(pair.base, pair.changed)
    if found is None:
        return Judged("undecided", "too few answers of each class were seen", measure="recall")
    told = f"mean recall over classes {found.before:.4g} -> {found.after:.4g}"
    outcome: ExperimentOutcome = "better" if found.better else "worse" if found.worse else "same"
    if pair.was != "none" and pair.now == "none" and found.better:
        outcome, told = "symptom-gone", f"{told}, {pair.was} gone"
    elif outcome == "same":
        told = f"{told}, no clear difference"
    return Judged(outcome, f"{told}{pair.still}", found.before, found.after, "recall", found)


def by_perfection(pair: Pair) -> Judged:
    """The outcome of a run whose held-out answers are all right: its accuracy is perfect, or is not made of them."""
    one, two = fact_in(pair.base, Printed), fact_in(pair.changed, Printed)
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
