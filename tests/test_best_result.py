"""What half of the data teaches, by the best held-out result beside what knowing nothing gives."""

from __future__ import annotations

import pytest

from stetho import catalogue
from stetho.best_result import gained, grown
from stetho.facts import (
    ClassCount,
    Evaluation,
    Evaluations,
    Fact,
    FirstLoss,
    Labels,
    LossCurve,
    Printed,
    PrintedNumber,
)
from stetho.inquiry import Facts
from stetho.outcome import judge_outcome

CURVE = LossCurve(tuple(1.6 * 0.9**i for i in range(40)), chance=1.6)


def facts(*held: Fact) -> Facts:
    return {type(one): ("", one) for one in (CURVE, FirstLoss((1.6,), classes=5), *held)}


def printed(*values: float, name: str = "val_acc", kind: str = "score") -> Facts:
    return facts(Printed((PrintedNumber(name, kind, "validation", values),)))


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ((0.3, 0.5, 0.6, 0.6, 0.59), (0.25, 0.35, 0.4, 0.38, 0.39), "worse"),
        ((0.3, 0.5, 0.6, 0.6, 0.59), (0.3, 0.5, 0.58, 0.57, 0.5), "same"),
        ((0.3, 0.5, 0.6, 0.6, 0.59), (0.3, 0.4, 0.52, 0.52, 0.52), "undecided"),
        ((0.3, 0.6, 0.4, 0.6, 0.4), (0.3, 0.5, 0.3, 0.48, 0.3), "undecided"),
        ((0.3, 0.4, 0.45, 0.45, 0.45), (0.3, 0.6, 0.7, 0.7, 0.7), "better"),
    ],
    ids=["clearly less", "about as much", "between the two", "all of it noise", "more"],
)
def test_a_gain_is_held_against_guessing(before: tuple[float, ...], after: tuple[float, ...], outcome: str) -> None:
    judged = judge_outcome(printed(*before), printed(*after), catalogue.load(), symptom="none", alters="best")
    assert judged.outcome == outcome and "knowing nothing gives 0.2" in judged.detail


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ((0.8, 0.85, 0.86, 0.85, 0.84, 0.85), "better"),
        ((0.8, 0.7, 0.62, 0.6, 0.6, 0.6), "same"),
        ((0.3, 0.35, 0.35, 0.35, 0.35, 0.35), "worse"),
    ],
    ids=["as good at best, far better at the end", "alike", "worse at best"],
)
def test_without_rows_that_are_wrong_the_end_counts_where_the_best_is_alike(
    after: tuple[float, ...], outcome: str
) -> None:
    before = (0.8, 0.7, 0.6, 0.6, 0.6, 0.6)
    judged = judge_outcome(printed(*before), printed(*after), catalogue.load(), symptom="none", alters="cleaned")
    assert judged.outcome == outcome


def test_the_best_point_counts_and_not_the_end() -> None:
    found = gained(
        printed(1.5, 0.8, 1.4, 2.2, 3.0, name="val_loss", kind="loss"),
        printed(1.5, 0.9, 2.0, 4.0, 6.0, name="val_loss", kind="loss"),
    )
    assert found is not None and (found.nothing, found.before, found.after) == (1.6, 0.8, 0.9)


def test_a_frequent_class_is_easily_right() -> None:
    common = Labels(classes=2, counted=100, counts=(ClassCount(0, 80), ClassCount(1, 20)))
    ours = {**printed(0.82, 0.85, 0.86, 0.88, 0.88), Labels: ("", common)}
    found = gained(ours, printed(0.8, 0.81, 0.82, 0.82, 0.82))
    assert found is not None and found.nothing == 0.8 and found.outcome == "worse"


def test_where_nothing_tells_what_knowing_nothing_gives_it_is_undecided() -> None:
    for name, kind in (("val_rmse", "loss"), ("val_bleu", "score")):
        one = printed(0.5, 0.4, name=name, kind=kind)
        assert gained(one, one) is None
    judged = judge_outcome(facts(), facts(), catalogue.load(), symptom="none", alters="best")
    assert judged.outcome == "undecided"


def test_what_was_seen_stands_in_for_what_was_not_printed() -> None:
    def seen(*right: float) -> Facts:
        steps = tuple(range(len(right)))
        return facts(Evaluations((Evaluation("cross_entropy", None, steps, (1.0,) * len(right), right, 100, 0.0),)))

    found = gained(seen(0.3, 0.5, 0.6, 0.62, 0.6), seen(0.2, 0.3, 0.4, 0.41, 0.4))
    assert found is not None and found.name == "right answers in evaluation" and found.outcome == "worse"


@pytest.mark.parametrize(
    ("name", "kind", "before", "after", "outcome"),
    [
        ("val_acc", "score", 0.95, 0.80, "worse"),
        ("val_acc", "score", 0.95, 0.945, "same"),
        ("val_acc", "score", 99.0, 98.5, "same"),
        ("val_mse", "loss", 0.01, 0.02, "worse"),
        ("val_mse", "loss", 0.01, 0.0115, "same"),
        ("val_mse", "loss", 0.01, 0.0125, "undecided"),
        ("val_mse", "loss", 0.02, 0.01, "better"),
        ("val_r2", "score", 0.9, 0.8, "worse"),
    ],
)
def test_an_error_grows_by_more_than_less_data_explains(
    name: str, kind: str, before: float, after: float, outcome: str
) -> None:
    ours, theirs = (printed(*[value] * 6, name=name, kind=kind) for value in (before, after))
    found = grown(ours, theirs)
    assert found is not None and found.outcome == outcome
    judged = judge_outcome(ours, theirs, catalogue.load(), symptom="none", alters="error")
    assert judged.outcome == outcome


def test_a_result_that_is_too_good_is_cured_by_a_larger_error() -> None:
    ours, theirs = printed(*[0.999] * 6), printed(*[0.7] * 6)
    assert judge_outcome(ours, theirs, catalogue.load(), symptom="too-good", alters="error").outcome == "symptom-gone"
    assert judge_outcome(facts(), facts(), catalogue.load(), symptom="none", alters="error").outcome == "undecided"
