"""Two changes that both help: the cure of a cause counts only as far as it does better than the other one."""

from __future__ import annotations

import pytest

from stetho.cause import Cause
from stetho.experiment import Change, Experiment, ExperimentOutcome
from stetho.other_cure import behind, beside_other_cure, outdone, unmatched


def cause(id: str, trial: str | None = None, outdoes: str | None = None) -> Cause:
    return Cause(id, 0.1, {}, {}, (), "it is so", "try", "mend", trial=trial, outdoes=outdoes)


def duel(ours: float | None, theirs: float | None, outcome: ExperimentOutcome = "symptom-gone") -> list[Experiment]:
    rate = [made("rate", outcome, theirs)] if theirs is not None else []
    return [made("fix", "symptom-gone", ours), *rate]


def made(
    name: str, outcome: ExperimentOutcome, after: float | None, before: float | None = 2.0, measure: str = "loss"
) -> Experiment:
    return Experiment("X1", "control", Change(name), "?", {}, outcome, "", 1.0, 60, before, after, measure=measure)


@pytest.mark.parametrize(
    ("experiments", "better", "why"),
    [
        (duel(0.1, 0.2), True, ""),
        (duel(0.2, 0.2), False, "rate does as well"),
        (duel(0.2, 0.15), False, "rate does as well"),
        (duel(0.8, 0.1), False, "rate does better"),
        (duel(0.2, 0.1, "same"), None, ""),
        (duel(0.2, 0.1, "undecided"), None, "it is not known whether rate would do as well"),
        (duel(0.2, None), None, "it is not known whether rate would do as well"),
        (duel(None, 0.2), None, "rate does as well"),
    ],
)
def test_a_cure_must_do_better_than_the_change_it_has_to_outdo(
    experiments: list[Experiment], better: bool | None, why: str
) -> None:
    one = cause("hp/one", trial="fix", outdoes="rate")
    assert outdone(one, experiments) is better
    assert unmatched(one, experiments) == why
    assert outdone(cause("hp/two"), experiments) is None
    assert unmatched(cause("hp/two"), experiments) == ""


@pytest.mark.parametrize(
    ("ours", "theirs", "before", "measure", "says"),
    [
        (0.9, 0.1, 1.8, "loss", True),
        (0.15, 0.1, 1.8, "loss", False),
        # Both have taken all of it away.
        (0.02, 0.001, 1.8, "loss", False),
        (0.9, 0.1, float("nan"), "loss", False),
        (0.9, 0.1, None, "loss", False),
        # A loss that can be negative has no level to be twice of.
        (-3.0, -5.0, 1.0, "loss", False),
        (0.6, 0.95, 0.2, "accuracy", True),
        (0.9, 0.94, 0.2, "accuracy", False),
        (0.95, 0.6, 0.2, "accuracy", False),
    ],
)
def test_a_cure_falls_behind_that_leaves_most_of_what_the_other_takes_away(
    ours: float, theirs: float, before: float | None, measure: str, says: bool
) -> None:
    tried = [made("fix", "better", ours, before, measure), made("rate", "symptom-gone", theirs, before, measure)]
    assert behind(cause("hp/one", trial="fix", outdoes="rate"), tried) is says


def test_falling_behind_speaks_against_the_cause_ten_to_one() -> None:
    one = cause("hp/one", trial="fix", outdoes="rate")

    def ratio(ours: float, theirs: float) -> float:
        tried = [made("fix", "symptom-gone", ours), made("rate", "symptom-gone", theirs)]
        return beside_other_cure(one, "hp/one", tried) / beside_other_cure(one, "hp/two", tried)

    assert ratio(0.8, 0.1) == pytest.approx(0.1)
    assert 0.1 < ratio(0.15, 0.15) < 0.2
    assert ratio(0.1, 0.2) == pytest.approx(3.0)
