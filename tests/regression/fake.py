"""A project of a few files whose runs are made up: how they go is read from the files as a run sees them."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measure.lines import HEAD, steps
from stetho import catalogue
from stetho.case import Request, new_case
from stetho.executors.protocol import OUTPUT, RECORDING, Ran, Watcher
from stetho.experiment import Job
from stetho.inquiry import Inquiry
from stetho.observation import observe
from stetho.regression.comparison import compare

LEARNS = [2.0 * 0.97**i + 0.05 + 0.01 * (i % 3) for i in range(120)]
SLOWLY = [2.0 * 0.995**i + 0.05 + 0.01 * (i % 3) for i in range(120)]
EXPLODES = [2.05 * 1.6**i for i in range(60)] + [float("nan")] * 20
TRAIN = "lr = 0.1\nbatch = 32\nname = 'a'\n"


@dataclass(frozen=True)
class Went:
    """How a made-up run went."""

    losses: list[float]
    code: int = 0
    said: str = "done"
    rate: float = 0.1


@dataclass(frozen=True)
class Seen:
    """The files and the command as a run sees them."""

    files: dict[str, str]
    command: tuple[str, ...]

    def number(self, name: str) -> float:
        """A value of that name in any file or option."""
        text = "\n".join([*self.files.values(), " ".join(self.command)])
        return float(re.findall(rf"{name}\W+([\d.e+-]+)", text)[-1])


class Fake:
    """An executor that runs nothing."""

    def __init__(self, goes: Callable[[Seen], Went]) -> None:
        self.goes = goes
        self.runs = 0

    def __call__(self, job: Job, watch: Watcher | None = None) -> Ran:
        self.runs += 1
        files = {str(p): p.read_text() for p in Path(job.cwd).rglob("*.*") if p.is_file() and ".stetho" not in p.parts}
        files = {p: text for p, text in files.items() if os.sep + ".git" + os.sep not in p}
        for edit in job.edits:
            files.pop(edit.file, None)
            if not edit.removed:
                files[edit.file] = edit.after
        went = self.goes(Seen(files, job.command))
        folder = Path(tempfile.mkdtemp(prefix="stetho-fake-"))
        (folder / RECORDING).mkdir()
        count = len(went.losses)
        block = steps(0, went.losses, lr=[[went.rate]], g=[0.5 if v == v else v for v in went.losses]) if count else ""
        (folder / RECORDING / "r0-1.jsonl").write_text(HEAD + block)
        (folder / OUTPUT).write_text(went.said + "\n")
        return Ran(went.code, None, 0.01, None, folder)


@contextmanager
def asked(folder: Path, good: str, goes: Callable[[Seen], Went], *command: str, **more: object) -> Iterator[Inquiry]:
    """An investigation in which the good run was compared with, and nothing else was asked."""
    request = Request(
        command or ("python", "train.py"), str(folder), 0, 600.0, symptom=None, created=0.0, good=good,
        **{"experiments": True, **more},  # type: ignore[arg-type]
    )  # fmt: skip
    case = new_case(folder / ".stetho", request)
    quiet = lambda line: None  # noqa: E731
    with case.open_ledger() as ledger:
        inquiry = Inquiry(case, ledger, request, catalogue.load(), quiet, quiet, execute=Fake(goes))
        observe(inquiry)
        compare(inquiry)
        yield inquiry


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, title: str, **files: str) -> None:
    """Write files, whose names have _ for their dots, and commit all there is."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", title)
