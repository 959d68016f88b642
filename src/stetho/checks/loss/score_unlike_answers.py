from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Evaluations, LossInput, LossInputs, Printed, PrintedNumber
from stetho.logged.roles import words_of

SITE = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 41}, "looked_at": 20, "normalised": 0,
    "classes": 4, "target_shape": [64], "accuracy_first": 0.3, "accuracy_last": 0.92,
}  # fmt: skip
LAST = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 50}, "steps": [20, 40], "losses": [1.0, 0.3],
    "right": [0.3, 0.9], "samples": 400, "trained": 0.0,
}  # fmt: skip
ACCURACY = {"name": "val_acc", "kind": "score", "split": "validation"}


@check(
    reads=(LossInputs, Printed),
    also=Evaluations,
    root="score against answers",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "held-out answers are right, and the score says otherwise": {
            "loss-inputs": {"sites": [SITE, {**SITE, "trained": False, "accuracy_last": 0.9}]},
            "printed": {"numbers": [{**ACCURACY, "values": [0.3, 0.31, 0.3]}]},
        },
        "far below guessing": {
            "loss-inputs": {"sites": [SITE]}, "printed": {"numbers": [{**ACCURACY, "values": [0.1, 0.08, 0.08]}]},
        },
    },
    quiet={
        "as good as the last evaluation, which was not looked at call by call": {
            "loss-inputs": {"sites": [SITE, {**SITE, "trained": False, "accuracy_last": 0.3}]},
            "evaluations": {"lines": [LAST]},
            "printed": {"numbers": [{**ACCURACY, "values": [0.3, 0.7, 0.9]}]},
        },
        "as good": {
            "loss-inputs": {"sites": [SITE, {**SITE, "trained": False, "accuracy_last": 0.9}]},
            "printed": {"numbers": [{**ACCURACY, "values": [0.8, 0.88, 0.89]}]},
        },
        "learned by heart": {
            "loss-inputs": {"sites": [SITE]}, "printed": {"numbers": [{**ACCURACY, "values": [0.3, 0.28, 0.27]}]},
        },
        "in percent": {
            "loss-inputs": {"sites": [SITE, {**SITE, "trained": False, "accuracy_last": 0.9}]},
            "printed": {"numbers": [{**ACCURACY, "values": [80.0, 88.0, 89.0]}]},
        },
        "another score": {
            "loss-inputs": {"sites": [SITE]},
            "printed": {"numbers": [{**ACCURACY, "name": "val_f1", "values": [0.01, 0.01, 0.01]}]},
        },
        "whole sentences are right or not": {
            "loss-inputs": {"sites": [{**SITE, "target_shape": [64, 30]}]},
            "printed": {"numbers": [{**ACCURACY, "values": [0.01, 0.01, 0.02]}]},
        },
    },
)  # fmt: skip
def score_unlike_answers(losses: LossInputs, printed: Printed, evaluations: Evaluations | None) -> Iterator[Finding]:
    """The accuracy that the program prints is far from the share of answers that are right.

    ## Why it matters
    The answers were counted where they met their labels. A score that says otherwise is not computed from them: another
    threshold, another axis, another order.

    ## False alarms
    A model that has learned its training data by heart is better there; only what is below guessing, or differs from
    answers on the same held-out data, counts. Scores of whole sequences are stricter than those of their tokens.
    """
    named = [n for n in printed.numbers if n.kind == "score" and words_of(n.name) & {"acc", "accuracy"} and n.values]
    answered = [s for s in losses.sites if s.accuracy_last is not None and one_each(s)]
    trained = [s for s in answered if s.trained]
    held_out = [s for s in answered if not s.trained and s.looked_at >= 3]
    for number in named:
        share = number.values[-1] / (100.0 if max(number.values) > 1.5 else 1.0)
        if held_out and number.split == "validation" and len(held_out) == 1:
            right = last_evaluation(evaluations, held_out[0])
            if abs(share - right) > 0.25:
                yield told(number, share, right, held_out[0])
        elif len(trained) == 1 and below_guessing(trained[0], share):
            yield told(number, share, trained[0].accuracy_last or 0.0, trained[0])


def last_evaluation(evaluations: Evaluations | None, site: LossInput) -> float:
    """The share of right answers at the last evaluation; the last call that was looked at may be of an earlier one."""
    held = evaluations.held_out() if evaluations is not None else None
    last = held.right[-1] if held is not None else None
    return last if last is not None else site.accuracy_last or 0.0


def one_each(site: LossInput) -> bool:
    """Whether each sample has one answer."""
    return site.target_shape is not None and len([n for n in site.target_shape if n > 1]) == 1


def below_guessing(site: LossInput, share: float) -> bool:
    chance = 1 / (site.classes or 2)
    return share < 0.5 * chance and (site.accuracy_last or 0.0) > chance + 0.5 * (1 - chance)


def told(number: PrintedNumber, share: float, right: float, site: LossInput) -> Finding:
    where = (site.where,) if site.where else ()
    what = "of training" if site.trained else "held out"
    return Finding(f"{number.name} ends at {share:.0%}, while {right:.0%} of the answers {what} are right", where=where)
