"""What tests of live processes share: programs to look at, and looks at them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

from stetho import catalogue, codec, probing
from stetho.facts import FACTS, Fact
from stetho.probing import Report

PATIENCE = 20
F = TypeVar("F", bound=Fact)


@contextlib.contextmanager
def program(folder: Path, text: str, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that runs in the folder; it must say "ready" before it is looked at."""
    file = folder / "train.py"
    file.write_text(f"import os, signal, sys, threading, time\n{text}\n")
    command = [sys.executable, "-u", "train.py", *arguments]
    running = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        env={**os.environ, **variables},
        start_new_session=True,
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        yield running
    finally:
        for number in (signal.SIGCONT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, number)
        running.communicate()


def look(folder: Path | None = None, pid: int | None = None, **options: Any) -> Report:
    """A look that a busy machine does not cut off."""
    found = catalogue.load()
    probes = {name: replace(one, limit=PATIENCE * one.limit) for name, one in found.probes.items()}
    times = {"TOGETHER": PATIENCE * probing.TOGETHER, "FINDING": PATIENCE * probing.FINDING}
    with mock.patch.multiple(probing, **times):
        return probing.look(replace(found, probes=probes), folder, pid, **options)


def look_in_time(folder: Path | None = None, pid: int | None = None, **options: Any) -> Report:
    """A look as users get it, cut off when its time is over."""
    return probing.look(catalogue.load(), folder, pid, **options)


def fact(report: Report, kind: type[F]) -> F:
    """The one fact of a kind in a report."""
    (found,) = [one for one in report.evidence if one.fact is not None and FACTS[one.fact] is kind]
    return codec.decode(kind, found.data)


def fired(report: Report) -> set[str]:
    return {one.check for one in report.findings}


def until(reached: Callable[[], bool]) -> None:
    """Wait for another process to come into a state; the state is certain to come, only its time is not."""
    end = time.monotonic() + 30
    while not reached():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def state_of(pid: int) -> str:
    text = Path(f"/proc/{pid}/stat").read_text()
    return text[text.rfind(")") + 2]


def silent(folder: Path, seconds: float, name: str = "run.log", text: str = "epoch 1 loss 0.5\n") -> Path:
    """A log that was last written so long ago."""
    log = folder / name
    log.write_text(text)
    past = time.time() - seconds
    os.utime(log, (past, past))
    return log
