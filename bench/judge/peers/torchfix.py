"""TorchFix: a linter for PyTorch code, with all its rules switched on."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

from bench.judge.answer import Answer
from bench.judge.case import ROOT, Place
from bench.judge.running import scratch
from bench.judge.subject import Subject

TOOL = "TorchFix"
BIN = ROOT / ".venv-bench" / "bin"
FOUND = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<rule>TOR\d+) (?P<text>.*)$", re.M)


def version() -> str:
    told = subprocess.run([BIN / "pip", "show", "torchfix"], capture_output=True, text=True)
    found = re.search(r"^Version: (.*)$", told.stdout, re.M)
    if found is None:
        raise RuntimeError("not runnable here: torchfix is not installed in .venv-bench; make scoreboard installs it")
    return found[1]


def answer(subject: Subject, version: str) -> Answer:
    with scratch() as folder:
        project = Path(folder) / subject.base
        subject.lay(project)
        begun = time.monotonic()
        done = subprocess.run(
            [BIN / "torchfix", "--select", "ALL", "."], cwd=project, capture_output=True, text=True, timeout=120
        )
        seconds = time.monotonic() - begun
    found = list(FOUND.finditer(done.stdout))
    places = tuple(Place(one["file"].removeprefix("./"), int(one["line"])) for one in found[:3])
    said = " ".join(sorted({one["rule"] for one in found}))
    # Its rules are about the library's interface; none of them is one of the causes.
    ranking = (("other/unlisted", 0.5),) if found else (("none/healthy", 0.5),)
    status = "suspected" if found else "clear"
    return Answer(
        TOOL, version, subject.id, subject.digest, status, ranking, places=places, said=said, seconds=seconds
    )  # fmt: skip
