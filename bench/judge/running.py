"""A program run as a user would run it, bounded, with another seed when asked, and what that took."""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RESEED = Path(__file__).parent / "reseed"
# Where scratch copies are made; not the temporary directory, which may be memory.
SCRATCH = Path("/var/tmp")


@dataclass(frozen=True)
class Ran:
    """How a run went."""

    output: str
    code: int | None
    """None when it was ended because its time was up."""
    seconds: float
    processor: float
    """Processor seconds of all its processes."""
    peak: float
    """The largest memory of one of its processes, in megabytes."""

    def last(self, pattern: str) -> float:
        """The last number that a pattern finds in the output; NaN when there is none, or the run failed."""
        found = re.findall(pattern, self.output)
        if not found or self.code != 0:
            return math.nan
        try:
            return float(found[-1])
        except ValueError:
            return math.nan


def scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="stetho-bench-", dir=SCRATCH, ignore_cleanup_errors=True)


def environment(offset: int = 0) -> dict[str, str]:
    """This environment, with the Python that judges first in the path, one thread, and no tracker's network."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    own = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0"}
    own |= {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "disabled", "TOKENIZERS_PARALLELISM": "false"}
    if offset:
        before = os.environ.get("PYTHONPATH")
        own["PYTHONPATH"] = str(RESEED) + (os.pathsep + before if before else "")
        own["BENCH_SEED_OFFSET"] = str(offset)
    return own


def run(command: Sequence[str], folder: Path, *, seconds: float, offset: int = 0, most: int = 1 << 22) -> Ran:
    """Run a command in a folder; all that it started is ended when it ends or its time is up."""
    with tempfile.TemporaryFile(dir=SCRATCH) as out:
        begun = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, env=environment(offset), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            start_new_session=True,
        )  # fmt: skip
        late = threading.Event()

        def end() -> None:
            late.set()
            _end_all(process.pid)

        clock = threading.Timer(seconds, end)
        clock.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            clock.cancel()
            _end_all(process.pid)
        spent = time.monotonic() - begun
        process.returncode = code = os.waitstatus_to_exitcode(status)
        size = out.seek(0, os.SEEK_END)
        out.seek(max(0, size - most))
        text = out.read().decode(errors="replace")
    return Ran(
        text, None if late.is_set() else code, spent, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    )  # fmt: skip


def _end_all(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
