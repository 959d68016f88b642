"""What tests share: running stetho as a user does, in a directory of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).parent.parent / "corpus"
# A shell starts what runs in the background deaf to Ctrl-C, and nohup to a lost terminal; and so would every program be
# that tests start.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)


# "python" is this one, for programs that a test starts from within, too: the environment need not be activated.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@dataclass(frozen=True)
class Answer:
    """What a command left: its code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def verdict(self) -> dict[str, Any]:
        return json.loads(self.out)


def environment() -> dict[str, str]:
    """One thread per program, so that tests side by side do not fight for cores."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith("STETHO")}, "OMP_NUM_THREADS": "1"}


def stetho(*arguments: str, cwd: Path, stdin: bytes | None = None, **variables: str) -> Answer:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "stetho", *arguments],
        cwd=cwd,
        input=stdin if stdin is not None else b"",
        capture_output=True,
        env={**environment(), **variables},
        timeout=300,
    )
    return Answer(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


@pytest.fixture
def write(tmp_path: Path):
    """Write a program into the test's directory."""

    def writer(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return writer
