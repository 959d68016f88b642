"""Python's stacks through py-spy: a stand-in on PATH says what the real one would; the real one is asked if there."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from stetho.facts import Waiting

from .looking import fact, look, program, silent

WAITS = "r, w = os.pipe()\nprint('ready')\nos.read(r, 1)"


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    tool = folder / "tools" / "py-spy"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")


def test_stacks_are_joined_to_the_threads_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    run.mkdir()
    silent(run, 600)
    frame = {"name": "fetch", "filename": "/x/train.py", "line": 12}
    with program(run, WAITS) as running:
        thread = {"pid": running.pid, "os_thread_id": running.pid, "thread_name": "MainThread", "frames": [frame]}
        stand_in(tmp_path, monkeypatch, f"cat <<'END'\n{json.dumps([thread])}\nEND")
        report = look(run)
    main = fact(report, Waiting).threads[0]
    assert (main.name, main.frames[0].function, main.frames[0].line) == ("MainThread", "fetch", 12)
    (finding,) = report.findings
    assert "in fetch (/x/train.py:12)" in finding.message
    assert [(place.file, place.line) for place in finding.where] == [("/x/train.py", 12)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("echo 'Permission Denied: Try running again with elevated permissions' >&2; exit 1", "Permission Denied"),
        ("exec sleep 1000", "did not answer within"),
    ],
)
def test_without_rights_or_an_answer_stacks_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    stand_in(tmp_path, monkeypatch, text)
    with program(tmp_path, WAITS) as running:
        report = look(tmp_path)
    (section,) = [one for one in report.sections if one.probe == "hung-process"]
    (gap,) = section.unknown
    assert says in gap.why and gap.instead.startswith("sudo ") and str(running.pid) in gap.instead
    # What the kernel says is there all the same.
    assert fact(report, Waiting).threads[0].waits_for == "data in a pipe"


@pytest.mark.skipif(shutil.which("py-spy") is None or os.geteuid() != 0, reason="needs py-spy and the right to trace")
def test_the_real_one(tmp_path: Path) -> None:
    with program(tmp_path, "def fetch():\n    r, w = os.pipe()\n    print('ready')\n    os.read(r, 1)\nfetch()"):
        found = fact(look(tmp_path), Waiting)
    assert [frame.function for frame in found.threads[0].frames] == ["fetch", "<module>"]
