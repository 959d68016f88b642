"""What is named as the next test: what would tell most, and how to have it run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import CORPUS, stetho
from stetho import catalogue
from stetho.case import Case
from stetho.conclusion import verdict
from stetho.experiment import Change, Experiment
from stetho.inquiry import Inquiry


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A case that holds the unchanged run of a program with a fault, and no experiment."""
    folder = tmp_path_factory.mktemp("next") / "spiral-mlp"
    shutil.copytree(CORPUS / "spiral-mlp", folder)
    assert stetho("why", "-q", "--no-experiments", "--", "python", "train.py", cwd=folder).code == 3
    (kept,) = (folder / ".stetho").glob("0001-*")
    return Case(kept.name, kept)


@pytest.fixture
def inquiry(observed: Case, tmp_path: Path) -> Iterator[Inquiry]:
    """The same case, of a user who had allowed experiments."""
    case = Case(observed.id, Path(shutil.copytree(observed.path, tmp_path / observed.path.name)))
    with case.open_ledger() as ledger:
        request = ledger.request()
        assert request is not None
        request = replace(request, experiments=True)
        yield Inquiry(case, ledger, request, catalogue.load(), lambda line: None, lambda line: None)


def named(inquiry: Inquiry, budget: float) -> list[str]:
    inquiry.request = replace(inquiry.request, budget=budget)
    return [one.test for one in verdict(inquiry).next]


def test_what_the_budget_was_too_small_for_is_named_with_a_larger_one(inquiry: Inquiry) -> None:
    found = named(inquiry, 0.0)
    assert any("larger --budget: fix loss/double-softmax" in one for one in found), found


def test_what_there_was_time_for_is_named_without_a_larger_budget(inquiry: Inquiry) -> None:
    found = named(inquiry, 3600.0)
    assert any("--suspect loss/double-softmax -- python train.py" in one for one in found), found
    assert not any("larger --budget" in one for one in found)


@pytest.mark.parametrize(("outcome", "left"), [("not-applied", True), ("undecided", True), ("same", False)])
def test_a_cure_that_could_not_be_tried_is_still_to_be_tried(inquiry: Inquiry, outcome: str, left: bool) -> None:
    change = Change("fix loss/double-softmax")
    known = dict(question="", predicted={}, detail="", seconds=1.0, steps=10, tests="loss/double-softmax")
    inquiry.ledger.add_experiment(
        Experiment(inquiry.ledger.next_experiment_id(), "trial fix", change, outcome=outcome, **known)
    )
    found = named(inquiry, 0.0)
    falsifier = inquiry.catalogue.causes["loss/double-softmax"].test
    assert (falsifier in found) is left, found


def test_an_experiment_that_tests_no_cause_is_not_the_cure_of_one_without_a_change_of_its_own(
    inquiry: Inquiry, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(question="", predicted={}, detail="", seconds=1.0, steps=10)
    inquiry.ledger.add_experiment(
        Experiment(inquiry.ledger.next_experiment_id(), "control", Change("lr", "x0.1"), outcome="same", **known)
    )
    monkeypatch.setattr("stetho.conclusion.telling", lambda *known: [])
    cause = replace(inquiry.catalogue.causes["loss/double-softmax"], trial=None)
    causes = {**inquiry.catalogue.causes, cause.id: cause}
    inquiry.catalogue = replace(inquiry.catalogue, causes=causes)
    assert cause.test in named(inquiry, 0.0)
