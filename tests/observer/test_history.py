"""What is left of earlier steps is on record: graphs that are held, and those that a loss goes back to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stetho import catalogue, measure, recording
from stetho.check import judge
from stetho.evidence import Place
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.facts import Crash, Fact, KeptGraphs, RefusedBackward, RunEnd

PROGRAM = Path(__file__).parent / "history" / "train.py"


def facts(how: str, folder: Path) -> dict[type[Fact], Fact]:
    ran = local.run(Job((sys.executable, str(PROGRAM), how), str(folder), 0, Bound(120.0, None)))
    try:
        record = recording.read(ran.recording)
        assert not record.faults, record.faults
        found = {type(fact): fact for fact, _ in measure.facts(record)}
        last = ran.output.read_text().strip().splitlines()[-1:] or [""]
        crash = Crash(*last[0].split(": ", 1)) if ran.code else None
        return {**found, RunEnd: RunEnd(ran.code), **({Crash: crash} if crash else {})}
    finally:
        ran.discard()


def fired(check: str, found: dict[type[Fact], Fact]) -> tuple[str, tuple[Place, ...]]:
    answer = judge(catalogue.load().checks[check], {kind: ("E1", fact) for kind, fact in found.items()})
    return answer.outcome, answer.findings[0].where if answer.findings else ()


def line(mark: str) -> int:
    return next(i for i, text in enumerate(PROGRAM.read_text().splitlines(), 1) if f"# @{mark}" in text)


@pytest.mark.parametrize("how", ["summed", "listed"])
def test_graphs_that_are_held_are_counted_and_who_holds_them_is_named(how: str, tmp_path: Path) -> None:
    found = facts(how, tmp_path)
    kept = found[KeptGraphs]
    assert isinstance(kept, KeptGraphs) and kept.steps == (0, 1, 2, 5, 10, 20)
    assert kept.held == kept.marked == (0, 0, 1, 3, 4, 5) and set(kept.carried) == {0}
    assert [one.name for one in kept.holders] == ["total" if how == "summed" else "kept"]
    outcome, where = fired("graphs-held", found)
    assert outcome == "fired" and [place.line for place in where] == [line(how)]


@pytest.mark.parametrize("how", ["none", "detached", "epochs"])
def test_nothing_is_left_of_earlier_steps(how: str, tmp_path: Path) -> None:
    found = facts(how, tmp_path)
    kept = found[KeptGraphs]
    assert isinstance(kept, KeptGraphs) and set(kept.carried) == {0} and kept.held[-1] == 0
    assert fired("graphs-held", found)[0] == fired("graph-grows", found)[0] == "quiet"


@pytest.mark.parametrize(("how", "outcome"), [("state", "fired"), ("twice", "quiet")])
def test_a_backward_that_fails_is_told_by_the_age_of_its_graph(how: str, outcome: str, tmp_path: Path) -> None:
    found = facts(how, tmp_path)
    refused = found[RefusedBackward]
    assert isinstance(refused, RefusedBackward) and (refused.carried > 0) == (how == "state")
    answer, where = fired("earlier-graph-refused", found)
    assert answer == outcome and [place.line for place in where[:1]] == ([line("state")] if how == "state" else [])
