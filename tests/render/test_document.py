"""The JSON document keeps the contract, and the published schema says what the contract is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import jsonschema
import pytest

from stetho.errors import BadRequest
from stetho.evidence import Evidence, Kind
from stetho.experiment import ExperimentKind, ExperimentOutcome
from stetho.render import render_verdict
from stetho.render.document import SMALL, UNCITED, schema
from stetho.verdict import Fix, Role, Status, Verdict

from .hostile import crashed
from .verdicts import ALL, clear, established, suspected

CONTRACT = {"schema", "target", "case", "status", "symptoms", "hypotheses", "claim", "evidence"}
CONTRACT |= {"experiments", "fix", "next", "cost"}


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def document(verdict: Verdict) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(render_verdict(verdict, "json"), parse_constant=refuse)
    return parsed


def validator() -> Any:
    return jsonschema.Draft202012Validator(schema())


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", ALL)
def test_every_verdict_keeps_the_schema(name: str) -> None:
    assert [error.message for error in validator().iter_errors(document(ALL[name]()))] == []


@pytest.mark.parametrize("name", ALL)
def test_the_document_can_be_written_to_any_file(name: str) -> None:
    text = render_verdict(ALL[name](), "json")
    assert text.isascii()
    json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")


def test_the_contract_is_there_key_for_key() -> None:
    whole = document(established())
    assert whole["schema"] == "stetho.verdict/1"
    assert set(whole) >= CONTRACT
    assert set(whole) == set(schema()["properties"])
    assert whole["hypotheses"][0]["for"] == ["E5", "E8"]
    assert "supports" not in whole["hypotheses"][0]
    assert whole["claim"]["where"][0] == {
        "file": "train.py", "line": 29, "column": None, "key": None, "sample": None,
    }  # fmt: skip
    assert whole["fix"]["trial"] == {"before": 2.3012, "after": 0.41, "evidence": ["E8"], "measure": "loss"}
    assert whole["experiments"][0]["predicted"]["hp/lr-too-low"]["same"] == 0.05
    assert whole["experiments"][1]["kind"] == "trial fix"


def test_absent_parts_are_null() -> None:
    whole = document(clear())
    assert whole["claim"] is None
    assert whole["fix"] is None
    assert document(suspected())["not_claimed"].startswith("no experiment was run")


def test_only_small_data_is_in_the_document() -> None:
    evidence = {one["id"]: one for one in document(established())["evidence"]}
    assert evidence["E1"]["data"]["steps"] == 400
    assert len(json.dumps(established().evidence[1].data)) > SMALL
    assert "data" not in evidence["E2"]
    assert evidence["E2"]["fact"] == "loss-curve"


def test_what_nothing_rests_on_brings_little_data() -> None:
    """A run gives dozens of facts; the document lists them all and shows at length only what is cited."""
    about = {"layers": ["x" * 100] * 8}
    cited, uncited = (Evidence(id, "observation", "layers", fact="layer-gradients", data=about) for id in ("E5", "E99"))
    verdict = replace(established(), evidence=(cited, uncited))
    first, second = document(verdict)["evidence"]
    assert UNCITED < len(json.dumps(about)) <= SMALL
    assert first["data"] == about
    assert "data" not in second and second["summary"] == "layers"


def test_numbers_that_json_has_not_become_words() -> None:
    whole = document(crashed())
    assert whole["fix"]["trial"]["before"] == "nan"
    assert whole["evidence"][0]["data"]["loss"] == "nan"


def test_undecodable_bytes_are_spelled_out() -> None:
    message = document(crashed())["symptoms"][0]["summary"]
    assert "\\xff\\x80" in message
    assert "[bold]shape[/bold] <script>" in message, "JSON is for programs: the text itself is not changed"


@pytest.mark.parametrize("path", [("status",), ("claim", "where"), ("hypotheses", 0, "for"), ("cost", "runs"),
                                  ("evidence", 0, "source"), ("experiments", 0, "predicted")])  # fmt: skip
def test_a_missing_key_is_refused(path: tuple[Any, ...]) -> None:
    whole = document(established())
    parent: Any = whole
    for key in path[:-1]:
        parent = parent[key]
    del parent[path[-1]]
    assert not validator().is_valid(whole)


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "an unknown status": lambda d: d.update(status="probable"),
    "an unknown version": lambda d: d.update(schema="stetho.verdict/2"),
    "a key of its own": lambda d: d.update(extra=1),
    "a claim that is not established": lambda d: d.update(status="suspected"),
    "established without a claim": lambda d: d.update(claim=None),
    "a claim that cites nothing": lambda d: d["claim"].update(cites=[]),
    "an unknown role": lambda d: d["hypotheses"][0].update(role="main"),
    "a probability above one": lambda d: d["hypotheses"][0].update(probability=1.2),
    "an unknown symptom": lambda d: d["symptoms"][0].update(id="sad"),
    "an unknown kind of evidence": lambda d: d["evidence"][0].update(kind="guess"),
    "an evidence id of another form": lambda d: d["evidence"][0].update(id="7"),
    "an unknown outcome": lambda d: d["experiments"][0].update(outcome="fine"),
    "a prediction of an unknown outcome": lambda d: d["experiments"][0]["predicted"].update(
        {"hp/lr-too-low": {"fine": 1.0}}
    ),
    "a place without its sample": lambda d: d["claim"]["where"][0].pop("sample"),
    "a loss that is a sentence": lambda d: d["fix"]["trial"].update(before="high"),
    "negative seconds": lambda d: d["cost"].update(seconds=-1),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_the_schema_refuses(wrong: str) -> None:
    whole = document(established())
    WRONG[wrong](whole)
    assert not validator().is_valid(whole)


def test_the_enums_are_those_of_the_code() -> None:
    published = schema()
    defs = published["$defs"]
    assert published["properties"]["status"]["enum"] == list(get_args(Status))
    assert defs["hypothesis"]["properties"]["role"]["enum"] == list(get_args(Role))
    assert defs["evidence"]["properties"]["kind"]["enum"] == list(get_args(Kind))
    assert defs["outcome"]["enum"] == list(get_args(ExperimentOutcome))
    assert defs["experiment"]["properties"]["kind"]["enum"] == list(get_args(ExperimentKind))
    assert defs["fix"]["properties"]["kind"]["enum"] == list(get_args(get_type_hints(Fix)["kind"]))


def test_an_unknown_format_is_the_users_mistake() -> None:
    with pytest.raises(BadRequest, match="there is no format 'html'; choose one of text, json, md"):
        render_verdict(clear(), "html")


def imported_by(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_only_the_terminal_text_needs_rich() -> None:
    light = "import stetho.render.document, stetho.render.markdown, stetho.render.explanation, stetho.render.text"
    assert not imported_by(light) & {"rich", "numpy", "torch", "jinja2"}
    drawn = "from stetho.render.terminal import draw, words; draw([words('x')], width=80, colour=False)"
    assert "rich" in imported_by(drawn), "the test above could not fail"
