"""The temperature of a ranking is found where one was put in, and not where chance alone would have it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.judge import answer as answers
from bench.judge import store
from bench.judge.answer import Answer
from bench.judge.scoreboard import RESULTS, answers_of, stored
from bench.judge.scoring import Scored, brier
from bench.judge.subject import Subject, subjects
from bench.judge.temper import SCORES, TEMPERATURES, conclusion, fit, section, squares, table, tempered

CAUSES = ("loss/wrong-sign", "data/labels-noisy", "hp/lr-too-low", "other/unlisted")


def row(
    number: int, right: str, chances: np.ndarray, *, base: str = "", side: str = "tune", planted: str = ""
) -> Scored:
    name = f"p{number}"
    family = "healthy" if planted else right
    one = Subject(
        name, base or name, "silent" if planted else "fault", family, frozenset((right,)), (), side, "sliced",
        ("python",), "d", frozenset((planted,)) if planted else frozenset(),
    )  # fmt: skip
    ranking = tuple(sorted(zip(CAUSES, map(float, chances), strict=True), key=lambda pair: -pair[1]))
    return Scored(one, Answer("stetho", "1", name, "d", "suspected", ranking))


def drawn(count: int, sure: float, seed: int = 3) -> list[Scored]:
    """Programs whose cause is drawn by its probability, and rankings that are so many times as sure as that."""
    chance = np.random.default_rng(seed)
    found = []
    for number in range(count):
        true = chance.dirichlet(np.full(len(CAUSES), 0.6))
        said = true**sure
        found.append(row(number, str(chance.choice(CAUSES, p=true)), said / said.sum()))
    return found


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("sure", [0.5, 2.0])
def test_a_temperature_that_was_put_in_is_found(name: str, sure: float) -> None:
    found = fit(drawn(600, sure), name)
    assert found.low <= sure <= found.high
    assert found.differs and found.gain.low > 0
    assert "helps on bases" in conclusion([found])


@pytest.mark.parametrize("name", SCORES)
def test_rankings_that_are_right_as_often_as_they_say_are_left_alone(name: str) -> None:
    found = fit(drawn(600, 1.0), name)
    assert found.low <= 1.0 <= found.high
    assert "left as they are" in conclusion([found])


def test_a_temperature_of_one_changes_nothing_and_a_high_one_makes_all_alike() -> None:
    ranking = np.array([0.7, 0.2, 0.1, 0.0])
    assert tempered(ranking, 1.0) == pytest.approx(ranking)
    assert tempered(ranking, 1e9) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0], abs=1e-6)
    assert tempered(ranking, 0.5) == pytest.approx([0.49 / 0.54, 0.04 / 0.54, 0.01 / 0.54, 0.0])
    assert 1.0 in TEMPERATURES


def test_the_brier_score_is_the_scoreboards() -> None:
    one = drawn(1, 1.0)[0]
    assert table([one], squares)[0, TEMPERATURES.index(1.0)] == pytest.approx(brier(one))


def test_programs_of_one_base_count_as_one_draw() -> None:
    apart = drawn(40, 2.0)
    together = [row(k * 100 + n, next(iter(one.right)), _chances(one), base=f"b{n}")
                for n, one in enumerate(apart) for k in range(5)]  # fmt: skip
    once, often = fit(apart, "Brier"), fit(together, "Brier")
    assert (often.best, often.low, often.high) == (once.best, once.low, once.high)


def _chances(one: Scored) -> np.ndarray:
    held = dict(one.answer.ranking)
    return np.array([held[cause] for cause in CAUSES])


def test_a_planted_fault_without_effect_may_be_named_or_not() -> None:
    named = row(1, "none/healthy", np.array([0.9, 0.05, 0.03, 0.02]), planted="loss/wrong-sign")
    assert table([named], squares)[0, TEMPERATURES.index(1.0)] == pytest.approx(0.1**2 + 0.05**2 + 0.03**2 + 0.02**2)


def test_the_test_side_has_no_say() -> None:
    tune = drawn(30, 1.0)
    other = [row(n, CAUSES[0], np.array([0.0, 0.0, 0.0, 1.0]), side="test") for n in range(90, 99)]
    assert list(section([*tune, *other])) == list(section(tune))
    assert list(section(other)) == []


def test_answers_of_the_two_sides_are_kept_apart(tmp_path: Path) -> None:
    store.append(answers_of("stetho", "tune", tmp_path), Answer("stetho", "1", "a", "d", "clear").row())
    store.append(answers_of("stetho", "test", tmp_path), Answer("stetho", "1", "b", "d", "clear").row())
    assert set(stored("stetho", ("tune",), tmp_path)) == {"a"}
    assert set(stored("stetho", folder=tmp_path)) == {"a", "b"}


def test_every_stored_answer_is_on_its_own_side() -> None:
    sides = {one.id: one.side for one in subjects().values()}
    for side in ("tune", "test"):
        held = [answers.read(one) for one in store.rows(answers_of("stetho", side, RESULTS))]
        assert {sides[one.subject] for one in held if one.subject in sides} <= {side}
