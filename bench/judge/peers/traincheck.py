"""TrainCheck: invariants learned from a good run of the same program, and those that the judged run violates.

The good run is the program with its fix, the base of a mutant, or, for a healthy program, the program itself. Every
step instrumented takes minutes for seconds of training, so steps are sampled by its own options, and each of its three
stages is ended after a limit: what it does not finish in that time is no answer, and is counted as such.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

from bench.judge import case as corpus
from bench.judge.answer import Answer
from bench.judge.case import ROOT
from bench.judge.running import environment, run, scratch
from bench.judge.subject import Subject

TOOL = "TrainCheck"
BIN = ROOT / ".venv-bench" / "bin"
LIMIT = 120.0
# Minutes for each program, on a machine that has two cores: so many of a sample, by the same strata.
MOST = 30
SAMPLED = ("--sampling-interval", "50", "--warm-up-steps", "3")
FAILED = re.compile(r"Total failed invariants: (\d+)/(\d+)")


class NotRunnable(Exception):
    """What keeps it from an answer; the text says at which stage."""


def version() -> str:
    told = subprocess.run([BIN / "pip", "show", "traincheck"], capture_output=True, text=True)
    found = re.search(r"^Version: (.*)$", told.stdout, re.M)
    if found is None:
        raise RuntimeError("not runnable here: traincheck is not installed in .venv-bench; make scoreboard installs it")
    return found[1]


def answer(subject: Subject, version: str) -> Answer:
    begun, spent = time.monotonic(), [0.0]
    with scratch() as folder:
        project = Path(folder) / "plain" / subject.base
        subject.lay(project)
        alone = run(subject.command, project, seconds=LIMIT)
        try:
            status, said = _violated(subject, Path(folder), spent)
        except NotRunnable as error:
            status, said = "failed", str(error)
    ranking = (("other/unlisted", 0.5),) if status == "suspected" else (("none/healthy", 0.5),)
    return Answer(
        TOOL, version, subject.id, subject.digest, status, ranking if status != "failed" else (), runs=2.0, said=said,
        seconds=time.monotonic() - begun, processor=round(sum(spent), 2), plain=round(alone.processor, 2),
    )  # fmt: skip


def _violated(subject: Subject, folder: Path, spent: list[float]) -> tuple[str, str]:
    """Whether the judged run violates what holds in the good one, and how often; adds up what its stages took."""
    case = corpus.load(subject.base)
    corpus.lay(case, folder / "good", fixed=subject.kind == "case" and not case.healthy)
    subject.lay(folder / "judged")
    traces = {which: _collected(subject, folder / which, spent) for which in ("good", "judged")}
    invariants = folder / "invariants.json"
    _stage("infer", ["traincheck-infer", "-f", str(traces["good"]), "-o", str(invariants)], folder, spent)
    if not invariants.exists() or not invariants.stat().st_size:
        raise NotRunnable("infer: no invariant was found")
    check = ["traincheck-check", "-f", str(traces["judged"]), "-i", str(invariants), "--no-html-report"]
    found = FAILED.findall(_stage("check", [*check, "-o", str(folder / "checked")], folder, spent))
    if not found:
        raise NotRunnable("check: it did not say how many invariants failed")
    failed, checked = map(int, found[-1])
    return ("suspected" if failed else "clear"), f"{failed} of {checked} invariants violated"


def _collected(subject: Subject, project: Path, spent: list[float]) -> Path:
    if len(subject.command) < 2 or subject.command[0] != "python" or not subject.command[1].endswith(".py"):
        raise NotRunnable(f"collect: it takes a script, not {' '.join(subject.command)}")
    (project / "run.sh").write_text(" ".join(subject.command) + "\n", encoding="utf-8")
    command = ["traincheck-collect", "-p", subject.command[1], "-s", "run.sh", "-a", "--output-dir", "trace", *SAMPLED]
    _stage("collect", command, project, spent)
    return project / "trace"


def _stage(name: str, command: list[str], folder: Path, spent: list[float]) -> str:
    path = f"{BIN}{os.pathsep}{environment()['PATH']}"
    done = run(("env", f"PATH={path}", str(BIN / command[0]), *command[1:]), folder, seconds=LIMIT)
    spent.append(done.processor)
    if done.code is None:
        raise NotRunnable(f"{name}: not done after {LIMIT:.0f} s")
    if done.code:
        raise NotRunnable(f"{name}: {done.output.strip().splitlines()[-1][:200] if done.output.strip() else done.code}")
    return done.output
