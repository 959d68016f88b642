"""Starting a measured program, with and without the observer, and reading what it used."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cost import events
from stetho.executors.local import environment_for
from stetho.experiment import Plan
from stetho.isolation.trackers import quiet

HERE = Path(__file__).parent
# One thread: the work of a step is then the same in both arms, whatever else the machine does.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


# One core, where it can be chosen, so that a process does not move while it is timed.
PINNED = ("taskset", "-c", str(max(os.sched_getaffinity(0)))) if shutil.which("taskset") else ()


@dataclass(frozen=True)
class Used:
    """Seconds of processor time that a finished command used, and what it printed."""

    user: float
    system: float
    output: str


class Failed(Exception):
    """A measured command that did not end well; the text says how."""


@contextmanager
def recording() -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder for one recording, and the environment that has a command observed into it."""
    with tempfile.TemporaryDirectory(prefix="stetho-overhead-", dir="/var/tmp") as folder:
        written = Path(folder) / "recording"
        written.mkdir()
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps(asdict(Plan(recording=str(written), seed=0))))
        yield written, {**environment_for(plan, plain_environment()), "STETHO_BENCH_RECORDING": str(written)}
        error = Path(f"{plan}.error")
        if error.exists():
            raise Failed(f"the observer was not active: {error.read_text().strip()}")
        fault = events.fault(written)
        if fault:
            raise Failed(f"the observer switched itself off: {fault}")


def plain_environment() -> dict[str, str]:
    """What both arms have in common, down to the variables that an observed run sets besides the observer's own."""
    kept = {k: v for k, v in os.environ.items() if k not in ("STETHO_PLAN", "PYTHONPATH")}
    return {**quiet(kept), **ONE_THREAD, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}


def run(command: Sequence[str], environment: dict[str, str], cwd: Path | None = None) -> Used:
    """Run to the end and say the processor time of the command and its children, as the kernel counted it."""
    with tempfile.TemporaryFile(dir="/var/tmp") as out, tempfile.TemporaryFile(dir="/var/tmp") as complaints:
        process = subprocess.Popen(
            [*PINNED, *command], env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=complaints
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        complaints.seek(0)
        if process.returncode != 0:
            raise Failed(_reason(complaints.read().decode(errors="replace"), process.returncode))
        return Used(usage.ru_utime, usage.ru_stime, out.read().decode(errors="replace"))


def _reason(complaints: str, code: int) -> str:
    """The error a program ended with, and the file it was raised in."""
    lines = complaints.strip().splitlines()
    files = re.findall(r'^ +File "(?:.*/)?([^"/]+)", line \d+', complaints, re.MULTILINE)
    text = lines[-1][:200] if lines else f"exit code {code}"
    return f"{text} (in {files[-1]})" if files else text


def ask(script: str, request: dict[str, Any], environment: dict[str, str], python: str = sys.executable) -> str:
    """Run one of the scripts beside this file with a request, and return what it printed."""
    return run([python, str(HERE / script), json.dumps(request)], environment).output
