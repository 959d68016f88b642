"""The programs in `fact_programs`, each run once under the observer: what was recorded, and what it says of itself."""

from __future__ import annotations

import fcntl
import functools
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from conftest import environment
from stetho import measure, recording
from stetho.evidence import Place
from stetho.executors.local import INJECT
from stetho.facts import Fact
from stetho.recording import Recording

F = TypeVar("F", bound=Fact)
FOLDER = Path(__file__).parent / "fact_programs"
# Started as a user starts them; all others share one import of torch, which costs more than they do.
ALONE = {"classify": ["classify.py", "--hidden", "12"]}
RANKS = 2
STEPPED = (
    "classify", "terms", "regress", "images", "scaled", "scaled_fused", "pair", "closure", "words", "halves", "carried",
    "resumed", "stream",
)  # fmt: skip
# Programs that keep account of other things than of every step of every parameter.
OTHERS = ("broken", "large")


@dataclass(frozen=True)
class Run:
    """One program's run."""

    program: str
    truth: dict[str, Any]
    recording: Recording
    facts: dict[type[Fact], Fact]

    def of(self, kind: type[F]) -> F:
        found = self.facts.get(kind)
        assert isinstance(found, kind), f"{self.program} has no {kind.__name__}"
        return found

    @property
    def rows(self) -> list[list[dict[str, Any]]]:
        """What the program says of each step, optimizer by optimizer."""
        return self.truth.get("optimizers") or [self.truth["steps"]]

    @property
    def busiest(self) -> list[dict[str, Any]]:
        """The steps of the optimizer that most facts are about: that with the most, the first one of several."""
        return max(self.rows, key=len)

    def line(self, mark: str) -> int:
        return lines(self.program)[mark]

    def at(self, place: Place | None, mark: str) -> bool:
        """Whether a place is the line of the program that bears a mark."""
        return place is not None and (Path(place.file).name, place.line) == (f"{self.program}.py", self.line(mark))


@functools.cache
def lines(program: str) -> dict[str, int]:
    """The lines that a program marks with `# @name`, by that name."""
    text = (FOLDER / f"{program}.py").read_text().splitlines()
    return {mark: number for number, line in enumerate(text, 1) for mark in re.findall(r"# @(\S+)", line)}


def near(told: Any, known: Any) -> bool:
    """Whether two numbers, or lists of them, are the same up to the precision that training computes in."""
    if isinstance(known, (list, tuple)):
        return len(told) == len(known) and all(near(t, k) for t, k in zip(told, known, strict=True))
    if told is None or known is None:
        return told is known
    if math.isnan(told) or math.isnan(known):
        return math.isnan(told) and math.isnan(known)
    return math.isclose(told, known, rel_tol=1e-5, abs_tol=1e-8)


def start(command: list[str], folder: Path, truth: Path) -> subprocess.Popen[str]:
    """A command under the observer, changing and seeding nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder.with_suffix(".plan")
    plan.write_text(json.dumps({"recording": str(folder), "seed": None, "steps": None, "changes": [], "trace": []}))
    variables = {"STETHO_PLAN": str(plan), "PYTHONPATH": str(INJECT), "TRUTH": str(truth)}
    return subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=FOLDER,
        env={**environment(), **variables},
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> str:
    text, _ = process.communicate(timeout=300)
    assert process.returncode == 0, text
    return text


def run_all(folder: Path) -> None:
    """Run what is not run alone; each process's part of the recording is told by its number."""
    names = [name for name in (*STEPPED, *OTHERS) if name not in ALONE]
    text = ended(start(["all.py", *(f"{name}.py" for name in names)], folder / "all", folder))
    (folder / "all.pids").write_text(json.dumps(dict(re.findall(r"^program (\w+) (\d+)$", text, re.MULTILINE))))


def run_ranks(folder: Path) -> None:
    ranks = [
        start(["ranks.py", str(r), str(folder / "meeting")], folder / "ranks", folder / f"ranks{r}.json")
        for r in range(RANKS)
    ]
    for process in ranks:
        ended(process)


def once(folder: Path, name: str) -> None:
    """Run a program unless it was run before, also by another worker of this test session."""
    group = name if name in ALONE or name == "ranks" else "all"
    with (folder / f"{group}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        outcome = folder / f"{group}.outcome"
        if not outcome.exists():
            # Written first: what fails once is not tried again by every test.
            outcome.write_text("failed")
            if group == "all":
                run_all(folder)
            elif group == "ranks":
                run_ranks(folder)
            else:
                ended(start(ALONE[name], folder / name, folder / f"{name}.json"))
            outcome.write_text("done")
        assert outcome.read_text() == "done", f"{group} failed before"


@functools.cache
def observed(folder: Path, name: str) -> Run:
    """What came of one program."""
    once(folder, name)
    if name in ALONE:
        found = recording.read(folder / name)
    else:
        pid = json.loads((folder / "all.pids").read_text())[name]
        found = recording.read_process([folder / "all" / f"r0-{pid}.jsonl"], lambda p: p)
    assert not found.faults
    truth = json.loads((folder / f"{name}.json").read_text())
    return Run(name, truth, found, {type(fact): fact for fact, _ in measure.facts(found)})


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A directory that all workers of a test session have in common."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "facts"
    folder.mkdir(exist_ok=True)
    return folder
