"""Scores are worth what they are said to be worth: each rule on answers that are told apart by it alone."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from bench.judge.answer import Answer, points_to, read
from bench.judge.case import Place
from bench.judge.interval import Share, mean
from bench.judge.scoring import Scored, brier, calibration_error, claims_right, confusion, reliability, scored, scores
from bench.judge.subject import Subject, sample

LINE = Place("train.py", 7)


def subject(name: str = "a", family: str = "loss/wrong-sign", **more: Any) -> Subject:
    healthy = family == "healthy"
    known: dict[str, Any] = dict(
        id=name, base=name, kind="case", family=family, accepted=frozenset(["none/healthy"] if healthy else [family]),
        places=() if healthy else (LINE,), side="test", style="sliced", command=("python", "train.py"), digest="d",
    )  # fmt: skip
    return Subject(**{**known, **more})


def answer(name: str = "a", status: str = "established", *ranking: tuple[str, float], **more: Any) -> Answer:
    return Answer("stetho", "1", name, "d", status, ranking, **more)


def test_a_right_claim_is_established_and_a_wrong_one_is_wrong_whatever_is_ranked_first() -> None:
    right = Scored(subject(), answer("a", "established", ("loss/wrong-sign", 0.97), claim="loss/wrong-sign"))
    assert (right.outcome, right.established, right.wrong_claim) == ("established", True, False)
    wrong = Scored(subject(), answer("a", "established", ("loss/wrong-sign", 0.6), claim="hp/lr-too-high"))
    assert (wrong.outcome, wrong.established, wrong.wrong_claim, wrong.first_right) == (
        "wrong claim",
        False,
        True,
        True,
    )


def test_any_accepted_cause_is_right() -> None:
    two = subject(accepted=frozenset(("loss/wrong-sign", "loss/term-imbalance")))
    assert Scored(
        two, answer("a", "established", ("loss/term-imbalance", 0.9), claim="loss/term-imbalance")
    ).established


def test_silence_is_better_than_a_wrong_claim_and_worse_than_a_rank() -> None:
    ranked = Scored(subject(), answer("a", "suspected", ("loss/wrong-sign", 0.5), ("hp/lr-too-high", 0.3)))
    assert ranked.outcome == "not established, ranked first"
    third = Scored(subject(), answer("a", "suspected", ("x/a", 0.4), ("x/b", 0.3), ("loss/wrong-sign", 0.2)))
    assert (third.outcome, third.first_right, third.among_few) == ("not established", False, True)
    fourth = Scored(
        subject(), answer("a", "suspected", ("x/a", 0.4), ("x/b", 0.3), ("x/c", 0.2), ("loss/wrong-sign", 0.1))
    )
    assert not fourth.among_few
    assert Scored(subject(), answer("a", "clear", ("none/healthy", 0.8))).outcome == "missed"
    same_room = Scored(subject(), answer("a", "suspected", ("loss/double-softmax", 0.8)))
    assert same_room.category_right and not same_room.first_right


def test_every_word_against_a_healthy_program_is_a_false_alarm() -> None:
    for status in ("suspected", "unknown", "established"):
        assert Scored(subject(family="healthy"), answer("a", status, ("x/a", 0.9))).false_alarm, status
    clear = Scored(subject(family="healthy"), answer("a", "clear", ("none/converged", 0.9)))
    assert clear.outcome == "clear" and clear.first_right


def test_a_planted_fault_that_does_not_show_may_be_named_and_nothing_else_may() -> None:
    silent = subject(family="healthy", kind="silent", planted=frozenset(["train/params-frozen"]))
    named = Scored(silent, answer("a", "established", ("train/params-frozen", 0.9), claim="train/params-frozen"))
    assert (named.outcome, named.false_alarm, named.wrong_claim) == ("named without need", False, False)
    other = Scored(silent, answer("a", "established", ("hp/lr-too-low", 0.9), claim="hp/lr-too-low"))
    assert other.false_alarm and other.wrong_claim


def test_a_tool_that_fails_has_missed_a_fault_and_raised_no_alarm() -> None:
    row = Scored(subject(), answer("a", "failed"))
    assert row.outcome == "no answer" and not row.answer.alarmed
    found = scores([row, Scored(subject("b", "healthy"), answer("b", "failed"))])
    assert (found.detection.hits, found.alarms.hits, found.answered.hits) == (0, 0, 0)


@pytest.mark.parametrize(
    ("said", "true", "hit"),
    [
        ([LINE], [LINE], True),
        ([Place("train.py", 8)], [LINE], False),
        ([Place("other.py", 7)], [LINE], False),
        ([Place("a.py", 1), Place("b.py", 1), Place("c.py", 1), LINE], [LINE], False),
        ([Place("./train.py", 7)], [LINE], True),
        ([Place("data/a.csv", column="price")], [Place("data/a.csv", column="price")], True),
        ([Place("data/a.csv")], [Place("data/a.csv", column="price")], False),
        ([Place("data/a.csv", column="size")], [Place("data/a.csv", column="price")], False),
        ([Place("data/a.csv", line=3)], [Place("data/a.csv")], True),
        ([], [LINE], False),
    ],
)
def test_a_place_is_found_when_it_is_named_as_closely_as_the_truth_is(
    said: list[Place], true: list[Place], hit: bool
) -> None:
    assert points_to(said, true) is hit


def test_an_answer_to_another_version_of_a_program_does_not_count() -> None:
    known = {"a": subject(digest="new")}
    assert scored(known, [answer("a", "clear")]) == []
    assert scored(known, [answer("gone", "clear")]) == []


def test_an_answer_is_read_as_it_was_stored() -> None:
    one = answer(
        "a", "established", ("x/a", 0.75), claim="x/a", confidence=0.75, places=(LINE,), processor=3.0, plain=1.5
    )
    assert read(one.row()) == one
    assert one.multiple == 2.0


def test_calibration_is_the_distance_of_what_is_said_from_what_comes_true() -> None:
    rows = [Scored(subject(str(n)), answer(str(n), "suspected", ("loss/wrong-sign", 0.75))) for n in range(3)]
    rows.append(Scored(subject("3"), answer("3", "suspected", ("x/a", 0.75))))
    assert calibration_error(rows) == pytest.approx(0.0)
    (one,) = reliability(rows)
    assert (one.said, one.came_true) == (0.75, Share(3, 4))
    assert confusion(rows) == {("loss/wrong-sign", "x/a"): 1}
    sure = [Scored(subject("a"), answer("a", "suspected", ("x/a", 1.0)))]
    assert calibration_error(sure) == 1.0


def test_claims_are_right_or_wrong_among_the_sure_ones() -> None:
    def of(claim: str, confidence: float, family: str = "loss/wrong-sign") -> Scored:
        return Scored(
            subject(family=family), answer("a", "established", (claim, 0.9), claim=claim, confidence=confidence)
        )

    rows = [of("loss/wrong-sign", 0.95), of("x/a", 0.9), of("x/a", 0.8), of("loss/wrong-sign", 0.99, "healthy")]
    assert claims_right([*rows, Scored(subject(), answer("a", "suspected", ("x/a", 0.99)))]) == Share(1, 3)


def test_the_whole_ranking_is_held_against_the_truth() -> None:
    def of(*ranking: tuple[str, float]) -> float:
        return brier(Scored(subject("a"), answer("a", "suspected", *ranking)))

    assert of(("loss/wrong-sign", 1.0)) == 0.0
    assert of(("x/a", 1.0)) == 2.0
    assert of() == 1.0
    assert of(("loss/wrong-sign", 0.75), ("x/a", 0.25)) == pytest.approx(0.125)
    # Who gives every cause a little is no better off than who says nothing.
    assert of(*((f"x/{n}", 0.05) for n in range(20))) > 1.0
    healthy = Scored(
        subject("h", family="healthy"), answer("h", "clear", ("none/healthy", 0.6), ("none/completed", 0.4))
    )
    assert brier(healthy) == 0.0


def test_intervals_hold_the_share_as_often_as_they_say() -> None:
    """By the plain way: of all outcomes of forty draws, those whose interval holds the truth, by chance."""
    for truth in (0.05, 0.3, 0.5, 0.9):
        held = sum(
            math.comb(40, hits) * truth**hits * (1 - truth) ** (40 - hits)
            for hits in range(41)
            if Share(hits, 40).interval[0] <= truth <= Share(hits, 40).interval[1]
        )
        assert 0.92 <= held <= 0.99
    assert Share(0, 24).interval[1] == pytest.approx(0.138, abs=0.001)
    lows = [Share(hits, 20).interval[0] for hits in range(21)]
    assert all(a < b for a, b in pairwise(lows))
    assert str(Share(0, 0)) == "none"


def test_the_interval_of_a_mean_shrinks_with_more_of_the_same() -> None:
    few, many = mean([0.0, 1.0] * 5), mean([0.0, 1.0] * 200)
    assert few.value == many.value == 0.5
    assert few.high - few.low > 3 * (many.high - many.low)


def test_a_sample_has_every_kind_of_program_and_is_always_the_same() -> None:
    held = [subject(f"d{n}", "data/labels-noisy") for n in range(60)] + [subject(f"h{n}", "healthy") for n in range(30)]
    held += [subject(f"m{n}", "num/overflow", kind="fault") for n in range(9)] + [subject("e", "env/hang")]
    picked = sample(held, 20)
    assert picked == sample(list(reversed(held)), 20)
    counts = {one.stratum: 0 for one in held}
    for one in picked:
        counts[one.stratum] += 1
    assert all(counts.values()) and sum(counts.values()) == 20
    assert 10 <= counts["case", "data"] <= 13 and 5 <= counts["case", "healthy"] <= 7
    assert sample(held, 500) == held
