"""What the symptoms make worth knowing is gathered, and what nothing tells stays a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stetho import post_mortem
from stetho.answers import course, number, setting
from stetho.case import Request
from stetho.catalogue import load
from stetho.facts import Config, Fact, LossCurve
from stetho.facts.reported import ConfigValue
from stetho.question import Question, Way, gather
from stetho.render import markdown, text
from stetho.verdict import Symptom, Verdict

RUNS = Path(__file__).parent / "post_mortem" / "runs"
# The symptoms of a guided session, in the words that people use, and the checks that see them.
GUIDED: Mapping[str, tuple[str, ...]] = {
    "plateau": ("loss-flat", "metric-stuck"),
    "slow": ("loss-slow",),
    "oscillating": ("loss-oscillating", "loss-spike"),
    "NaN or Inf": ("loss-nonfinite",),
    "exploding": ("gradients-exploding", "loss-diverging"),
    "vanishing": ("gradients-vanishing",),
    "overfitting": ("overfitting",),
    "slow training": ("slow-training",),
    "other": ("crash", "killed", "hang", "memory-growing"),
}


def verdict_of(folder: Path, cases: Path) -> Verdict:
    request = Request((), str(folder), None, 60.0, None, False, 0.0)
    return post_mortem.judge(cases, request, str(folder)).runs[0].verdict


@pytest.mark.parametrize("words", GUIDED)
def test_every_symptom_of_a_guided_session_asks_for_something(words: str) -> None:
    for symptom in GUIDED[words]:
        asked = [one.id for one in load().questions.values() if symptom in one.about]
        assert len(asked) >= 2, symptom


def question(answer: Any = lambda curve, step: f"seen at {step}") -> Question:
    return Question("q", "thing", "What is it?", ("loss-flat",), (Way(LossCurve, answer, {}),), "look")


def test_a_question_is_asked_only_for_its_symptoms() -> None:
    facts: dict[type[Fact], tuple[str, Fact]] = {LossCurve: ("E3", LossCurve((1.0, 2.0)))}
    assert gather([question()], facts, [Symptom("crash", "")]) == ()
    (one,) = gather([question()], facts, [Symptom("crash", "", 1), Symptom("loss-flat", "", 7)])
    assert (one.answer, one.evidence, one.symptoms) == ("seen at 7", ("E3",), ("loss-flat",))


def test_what_no_fact_tells_stays_open_and_comes_last() -> None:
    facts: dict[type[Fact], tuple[str, Fact]] = {LossCurve: ("E3", LossCurve((1.0,)))}
    known, missing = gather([replace(question(), id="p", ways=()), question()], facts, [Symptom("loss-flat", "")])
    assert known.id == "q" and known.answer
    assert (missing.answer, missing.evidence, missing.asks) == ("", (), "What is it?")


def test_a_number_that_a_way_cannot_take_leaves_the_question_open() -> None:
    def fails(curve: LossCurve, step: int | None) -> str:
        return str(1 / 0)

    facts: dict[type[Fact], tuple[str, Fact]] = {LossCurve: ("E3", LossCurve((1.0,)))}
    (one,) = gather([question(fails)], facts, [Symptom("loss-flat", "")])
    assert not one.answer


def test_a_dead_run_answers_from_its_curves_and_its_settings(tmp_path: Path) -> None:
    lines = [f"step {i} loss {2.0 - i / 200:.4f} grad_norm {1.1**i:.4g} lr 0.5" for i in range(60)]
    lines += [f"step {i} loss nan grad_norm nan lr 0.5" for i in range(60, 70)]
    run = tmp_path / "run"
    run.mkdir()
    (run / "log.txt").write_text("\n".join(lines) + "\n")
    (run / "config.yaml").write_text("optimizer: sgd\nbatch_size: 16\nprecision: fp16\n")
    found = {one.id: one for one in verdict_of(run, tmp_path / "cases").information}
    assert found["rate-in-force"].answer == "0.5 throughout"
    assert found["number-format"].answer == "precision fp16"
    assert found["which-optimizer"].answer == "optimizer sgd"
    assert "at step 59" in found["gradient-sizes"].answer
    assert found["onset"].answer.startswith("step 60; before it 2 at step 0")
    assert all(one.evidence for one in found.values() if one.answer)
    assert not found["input-range"].answer and "stetho run" in found["input-range"].otherwise


def test_the_answers_and_the_open_questions_are_shown(tmp_path: Path) -> None:
    verdict = verdict_of(RUNS / "spread-nan", tmp_path)
    shown = text.render(verdict, width=100)
    assert "known" in shown and "learning rate: optimizer.lr 0.0008" in shown
    assert "unknown" in shown and "what changed" in shown
    page = markdown.render(verdict)
    assert "Learning rate: optimizer.lr 0.0008 (" in page.replace("\\", "")
    assert "Not known, and worth knowing:" in page


def test_a_healthy_run_is_asked_nothing(tmp_path: Path) -> None:
    assert verdict_of(RUNS / "restarts-then-finished", tmp_path).information == ()


def test_a_course_names_its_peak() -> None:
    assert course((0, 5, 9), (1.0, 8.0, 2.0), None) == "1 at first, 8 at step 5, 2 at step 9"
    assert course((0, 5, 9), (1.0, float("inf"), 2.0), 5) == "1 throughout"
    assert course((), (), None) == ""
    assert number(float("nan")) == "NaN" and number(1_250_000.0) == "1,250,000" and number(0.000123456) == "0.0001235"


def test_a_setting_is_found_by_its_own_name_alone() -> None:
    values = (ConfigValue("lr_schedule.kind", "cosine"), ConfigValue("model.LR", "1e-3"), ConfigValue("opt", "[1, 2]"))
    config = Config("yaml", values)
    assert setting(config, "lr") == "model.LR 1e-3"
    assert setting(config, "opt") == "" and setting(config, "kinds") == ""
