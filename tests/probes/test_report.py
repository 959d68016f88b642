"""The report keeps its published form, can be read at 80 columns, and bad requests are one line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import stetho
from stetho import catalogue
from stetho.evidence import Evidence, Place, Source
from stetho.facts import FACTS
from stetho.probe import Unknown
from stetho.probing import SCHEMA, Report, Section, Sight
from stetho.render.probe import NOTHING, document, render_report, schema
from stetho.verdict import Noted

from .looking import look, program

HOSTILE = "\x1b[31mred\x1b[0m [bold]x[/bold] <script> \u202e `code` \udc9f " + "long " * 60


def made(text: str) -> Report:
    evidence = Evidence("E1", "probe", text, Source(command=text), "log-tail", None, {"file": text})
    section = Section("log-tail", 0.1, (Sight("E1", (text, text)),), (Unknown(text, text, text, text),))
    finding = Noted("oom-killed", text, (Place(text, 1),), ("E1",))
    return Report(SCHEMA, text, 4711, (4711,), 1.0, 1.5, (section,), (evidence,), (finding,))


def check(report: Report) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(render_report(report, "json"))
    jsonschema.Draft202012Validator(schema()).validate(parsed)
    return parsed


def test_the_schema_is_sound_and_a_live_report_keeps_to_it(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    with program(tmp_path, "print('ready')\ntime.sleep(1000)"):
        parsed = check(look(tmp_path))
    known = catalogue.load()
    assert {one["probe"] for one in parsed["sections"]} == set(known.probes)
    assert {one["fact"] for one in parsed["evidence"]} <= set(FACTS)
    assert all(one["source"]["command"] for one in parsed["evidence"])


def test_the_schema_can_fail() -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(replace(made("x"), schema="another/1"))
    with pytest.raises(jsonschema.ValidationError):
        check(replace(made("x"), findings=(Noted("oom-killed", "x", (), ("number one",)),)))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_hostile_text_stays_text_and_inside_the_width(width: int) -> None:
    report = made(HOSTILE)
    check(report)
    shown = render_report(report, "text", width=width)
    assert "\x1b" not in shown and "\u202e" not in shown and "[bold]x[/bold]" in shown
    assert max(map(len, shown.split("\n"))) <= width
    shown = render_report(report, "md")
    assert "<script>" not in re.sub(r"`+[^`]*(?:`code`[^`]*)?`+", "", shown) and "\x1b" not in shown


def test_the_parts_come_in_reading_order_and_what_is_worth_a_look_comes_last(tmp_path: Path) -> None:
    shown = render_report(look(tmp_path), "text", width=80)
    names = [line.split()[0] for line in shown.split("\n") if re.match(r" [a-z]", line)]
    assert names[0] == "probed" and names[-1] == "worth"
    assert names.index("processes") < names.index("kernel" if "kernel" in names else "limits") < names.index("disk")
    assert NOTHING in shown


def test_every_format_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("step 1\n")
    text = stetho("probe", cwd=tmp_path, NO_COLOR="1", COLUMNS="80")
    assert text.code == 0 and "run.log" in text.out and "\x1b" not in text.out and "worth a look" in text.out
    brief = stetho("probe", "-q", str(tmp_path), cwd=Path("/"))
    assert brief.code == 0 and brief.out.strip().startswith("worth a look") and "run.log" not in brief.out
    parsed = json.loads(stetho("probe", "--json", cwd=tmp_path).out)
    assert parsed["folder"] == str(tmp_path) and parsed["schema"] == "stetho.probe/1"
    assert stetho("probe", "--format", "md", ".", cwd=tmp_path).out.startswith("# Probed: `")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere",), "there is no directory 'nowhere'"),
        (("a-file",), "is a file"),
        (("--pid", "0"), "no process of that number"),
        (("--pid", "x"), "not a valid integer"),
        (("--pid", "99999999999"), "no process of that number"),
        (("--python", "nowhere"), "no such interpreter"),
    ],
)
def test_a_mistake_is_one_line_and_code_2(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    (tmp_path / "a-file").touch()
    answer = stetho("probe", *arguments, cwd=tmp_path)
    assert answer.code == 2 and answer.out == ""
    assert says in answer.err and len(answer.err.strip().split("\n")) == 1


def test_a_report_as_a_document_is_the_librarys_own_record() -> None:
    parsed = document(made("x"))
    assert isinstance(parsed, dict) and parsed["pid"] == 4711
