"""The page of real investigations says what was recorded, and each is of the kind that it stands for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bench.judge import store
from bench.judge.split import TUNE
from bench.judge.subject import subjects
from bench.judge.transcripts import (
    CHOSEN,
    CORRECTED,
    FLOOR,
    OPEN,
    PAGE,
    STORED,
    as_seen,
    corrected,
    correction,
    page,
)  # fmt: skip

ROWS = store.rows(STORED)
CODES = {"established": 1, "suspected": 3, "unknown": 3, "clear": 0}


def of(part: str) -> list[Any]:
    return [pytest.param(row, id=row["subject"]) for row in ROWS if row["part"] == part]


def test_the_page_is_what_is_stored_and_all_that_was_chosen() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ROWS)
    assert [(row["part"], row["subject"]) for row in ROWS] == [(one.part, one.subject) for one in CHOSEN]
    assert len(of(CORRECTED)) == len(of(OPEN)) == 3


@pytest.mark.parametrize("row", of(CORRECTED) + of(OPEN))
def test_code_and_status_fit_what_is_shown(row: dict[str, Any]) -> None:
    last = row["runs"][-1]
    assert last["exit"] == CODES[row["status"]]
    label = {"established": "ESTABLISHED", "suspected": "SUSPECTED", "unknown": "NOT ESTABLISHED"}[row["status"]]
    assert re.search(rf"^ *{label} ", last["text"], re.MULTILINE)
    assert all(f"$ {run['command']}\n{run['text']}\n$ echo $?\n{run['exit']}\n" in page([row]) for run in row["runs"])


@pytest.mark.parametrize("row", of(CORRECTED))
def test_a_first_hypothesis_that_was_wrong_was_corrected_by_an_experiment(row: dict[str, Any]) -> None:
    before, after = row["runs"]
    first, told = row["first"][0], row["correction"]
    assert first not in row["accepted"] and row["claim"] in row["accepted"] and row["claim"] != first
    # The unchanged run alone claims nothing, and shows that hypothesis at the head of its table.
    assert before["exit"] != 1 and "--no-experiments" in before["command"]
    table = before["text"].split("hypothesis ", 1)[1].splitlines()
    assert table[1].split()[0] == first
    assert told["claimed"] >= 2 * told["first"] >= 2 * FLOOR
    assert re.search(rf"^ {told['id']} ", after["text"], re.MULTILINE)
    assert corrected(row) in page([row])


@pytest.mark.parametrize("row", of(OPEN))
def test_what_cannot_be_told_is_not_claimed_and_the_next_test_is_named(row: dict[str, Any]) -> None:
    shown = row["runs"][-1]["text"]
    assert row["claim"] is None and row["runs"][-1]["exit"] == 3
    assert row["next"] and all(row["next"]), row["subject"]
    assert "not established" in shown.lower() and shown.count("\n   next ") == len(row["next"])
    assert row["why"] in page([row])


@pytest.mark.parametrize("row", of(CORRECTED) + of(OPEN))
def test_only_programs_of_the_tune_side_are_shown_and_no_machine(row: dict[str, Any]) -> None:
    subject = subjects()[row["subject"]]
    assert subject.side == TUNE
    if not subject.healthy:
        assert row["accepted"] == sorted(subject.accepted)
    assert not re.search(r"(?<!\w)/(work|home|tmp|var|root|usr|opt)/", page([row]))
    assert row["true"].endswith(".") and row["true"].count(". ") == 0, "one sentence"


def test_a_project_is_shown_as_below_the_home_directory(tmp_path: Path) -> None:
    text = f"\n case  {tmp_path}/p/.stetho/0001-train   \n"
    assert as_seen(text, tmp_path / "p") == " case  ~/p/.stetho/0001-train"


def test_what_corrected_is_the_experiment_that_tells_the_claim_from_the_first_most() -> None:
    def experiment(name: str, outcome: str, claim: float, first: float) -> dict[str, Any]:
        predicted = {"a/claim": {outcome: claim}, "b/first": {outcome: first}}
        return {"id": name, "intervention": name, "outcome": outcome, "predicted": predicted}

    told = [
        experiment("X1", "same", 0.8, 0.4),
        experiment("X2", "better", 0.9, 0.0),
        experiment("X3", "not-applied", 0.9, 0.0),
    ]
    verdict = {"claim": {"cause": "a/claim"}, "experiments": told}
    found = correction(verdict, "b/first")
    assert found == {"id": "X2", "intervention": "X2", "outcome": "better", "claimed": 0.9, "first": FLOOR}
    assert correction({"claim": None, "experiments": told}, "b/first") is None
