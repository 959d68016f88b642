"""Every dead or finished run gets the verdict that was written down before anything could read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomllib

from stetho import post_mortem
from stetho.case import Request
from stetho.several import RunVerdict, SeveralRuns
from stetho.verdict import Verdict

HERE = Path(__file__).parent
EXPECTED = {file.stem: tomllib.loads(file.read_text()) for file in sorted((HERE / "expected").glob("*.toml"))}


def judged(name: str, root: Path) -> SeveralRuns:
    request = Request((), str(HERE), None, 60.0, None, False, 0.0)
    return post_mortem.judge(root, request, str(HERE / "runs" / name))


def differs(verdict: Verdict, expected: Mapping[str, Any]) -> str:
    """In what a verdict is not the one expected; empty when it is."""
    leading = verdict.claim.cause if verdict.claim is not None else next((h.cause for h in verdict.hypotheses), "")
    symptoms = {symptom.id for symptom in verdict.symptoms}
    told = f"{verdict.status} {leading} {sorted(symptoms)}"
    if verdict.status not in expected["status"]:
        return f"status: {told}"
    if verdict.status != "unknown" and expected["causes"] and leading not in expected["causes"]:
        return f"cause: {told}"
    if not set(expected.get("symptoms", ())) <= symptoms or symptoms & set(expected.get("not_symptoms", ())):
        return f"symptoms: {told}"
    if expected.get("symptoms_any") and not symptoms & set(expected["symptoms_any"]):
        return f"symptoms: {told}"
    return ""


def all_differences(found: SeveralRuns, expected: Mapping[str, Any]) -> str:
    each: Mapping[str, Any] = expected.get("runs", {})
    if not each:
        return differs(gravest(found.runs), expected)
    by_name = {one.run: one.verdict for one in found.runs}
    wrong = [f"{name}: {differs(by_name[name], want)}" for name, want in each.items() if name in by_name]
    missing = [name for name in each if name not in by_name]
    shared = [one for one in expected.get("shared_by_failing", ()) if one not in found.shared]
    return "; ".join([*(w for w in wrong if not w.endswith(": ")), *missing, *(f"not shared: {one}" for one in shared)])


def gravest(runs: Sequence[RunVerdict]) -> Verdict:
    return min(runs, key=lambda one: (not one.fails, one.verdict.status != "established")).verdict


@pytest.mark.parametrize("name", EXPECTED)
def test_a_verdict_is_the_one_expected(name: str, tmp_path: Path) -> None:
    found = judged(name, tmp_path / "cases")
    assert not all_differences(found, EXPECTED[name])


@pytest.mark.parametrize("name", [name for name, one in EXPECTED.items() if one["status"] == ["clear"]])
def test_no_alarm_on_a_healthy_run(name: str, tmp_path: Path) -> None:
    for one in judged(name, tmp_path / "cases").runs:
        assert one.verdict.status in ("clear", "unknown") and not one.verdict.symptoms, one.run


@pytest.mark.parametrize("name", [name for name, one in EXPECTED.items() if one["status"] != ["clear"]])
def test_no_cause_is_claimed_that_is_not_accepted(name: str, tmp_path: Path) -> None:
    wanted = EXPECTED[name]
    accepted = {*wanted["causes"], *(c for one in wanted.get("runs", {}).values() for c in one["causes"])}
    claims = {one.verdict.claim.cause for one in judged(name, tmp_path / "cases").runs if one.verdict.claim is not None}
    assert claims <= accepted
