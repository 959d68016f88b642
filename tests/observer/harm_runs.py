"""The programs in `harm`, run with and without the observer, and with faults put into it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conftest import environment
from stetho.executors.local import INJECT
from stetho.recording import Recording, read

FOLDER = Path(__file__).parent / "harm"


@dataclass(frozen=True)
class Job:
    """One run of a program, with what is done to the observer before it."""

    name: str
    program: str
    args: tuple[str, ...] = ()
    sabotage: tuple[Any, ...] = ()
    recording: str = ""
    short: bool = False


@dataclass(frozen=True)
class Outcome:
    """What one run left."""

    code: int
    out: str
    err: str
    files: dict[str, bytes]
    recording: Recording = field(repr=False)
    pid: int = 0

    @property
    def told(self) -> tuple[int, str, str]:
        return self.code, self.out, without_observer(self.err)


def without_observer(text: str) -> str:
    """The text of a trace without the frames that the observer, or torch on its behalf, has added to it.

    Anomaly mode prints where an operation was called, and while every operation is in sight that is a longer way.
    """
    places: list[str] = []

    def kept(frame: re.Match[str]) -> str:
        places.append(frame[1])
        added = f"{INJECT.parent}/" in frame[1] or "/torch/overrides.py" in frame[1]
        return "" if added or frame[1] in places[-3:-1] else frame[0]

    return re.sub(r'^(  File "[^\n]*\n)(?:    [^\n]*\n)*', kept, text, flags=re.MULTILINE)


def run(folder: Path, jobs: Iterable[Job], observed: bool) -> dict[str, Outcome]:
    """Run all of them, one after the other, in processes forked from one."""
    jobs = list(jobs)
    folder.mkdir()
    recording = folder / "recording"
    recording.mkdir()
    (folder / "jobs.json").write_text(json.dumps([vars(job) for job in jobs]))
    plan = {"recording": str(recording), "seed": None, "steps": None, "changes": [], "trace": []}
    (folder / "plan.json").write_text(json.dumps(plan))
    variables = {"STETHO_PLAN": str(folder / "plan.json"), "PYTHONPATH": str(INJECT)} if observed else {}
    kept = {k: v for k, v in environment().items() if k not in ("PYTHONPATH", "PYTHONWARNINGS")}
    done = subprocess.run(
        [sys.executable, str(FOLDER / "each.py"), str(folder), str(folder / "jobs.json")],
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert not list(folder.glob("*.error"))
    return {job.name: outcome(folder / job.name, job) for job in jobs}


def outcome(folder: Path, job: Job) -> Outcome:
    work = folder / "work"
    files = {str(f.relative_to(work)): f.read_bytes() for f in sorted(work.rglob("*")) if f.is_file()}
    code, pid = (int((folder / part).read_text()) for part in ("code", "pid"))
    # Programs tell where they lie, which is another place for each run.
    out, err = ((folder / part).read_text().replace(str(folder), "") for part in ("out", "err"))
    recorded = read(Path(job.recording or os.path.join(folder, "recording")))
    return Outcome(code, out, err, files, recorded, pid)
