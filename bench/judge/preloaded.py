"""Programs started from a process that has torch imported already: the import is half of a short program's time.

The process forks for every program. The child goes to the program's folder, takes its environment, arguments and
seeds, and runs it as `python` would. Meant for hundreds of mutants of one kind; programs that start interpreters of
their own, and commands other than `python`, are run the ordinary way.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.judge.running import RESEED, Ran, environment, run, scratch

ROOT = Path(__file__).parent.parent.parent


def fits(command: Sequence[str]) -> bool:
    """Whether a command is Python on a script or a module, without options of Python's own."""
    return len(command) > 1 and command[0] == "python" and (command[1].endswith(".py") or command[1] == "-m")


class Preloaded:
    """One process that runs one program at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, command: Sequence[str], folder: Path, *, seconds: float, offset: int = 0) -> Ran:
        """As `running.run` does it."""
        if not fits(command):
            return run(command, folder, seconds=seconds, offset=offset)
        with scratch() as held:
            out = Path(held) / "out"
            env = {key: value for key, value in environment().items() if key != "BENCH_SEED_OFFSET"}
            asked = dict(
                command=list(command[1:]), folder=str(folder), out=str(out), seconds=seconds, offset=offset, env=env
            )
            told = self._ask(asked)
            text = out.read_bytes()[-(1 << 22) :].decode(errors="replace") if out.exists() else ""
        return Ran(text, told["code"], told["seconds"], told["processor"], told["peak"])

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bench.judge.preloaded"], cwd=ROOT, env=environment(), text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()


def serve() -> None:
    """Fork for every line that comes, and say how that went."""
    import numpy  # noqa: F401
    import torch  # noqa: F401

    for line in sys.stdin:
        asked = json.loads(line)
        begun = time.monotonic()
        child = os.fork()
        if not child:
            _become(asked)
        late = threading.Event()

        def end(child: int = child, late: threading.Event = late) -> None:
            late.set()
            os.killpg(child, signal.SIGKILL)

        clock = threading.Timer(asked["seconds"], end)
        clock.start()
        _, status, usage = os.wait4(child, 0)
        clock.cancel()
        clock.join()
        seconds = time.monotonic() - begun
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        code = None if late.is_set() else os.waitstatus_to_exitcode(status)
        told = dict(code=code, seconds=seconds, processor=usage.ru_utime + usage.ru_stime, peak=usage.ru_maxrss / 1024)
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _become(asked: dict[str, Any]) -> None:
    """The child: a fresh program as far as it can tell; never comes back."""
    import atexit
    import runpy
    import traceback

    code = 1
    try:
        os.setsid()
        out = os.open(asked["out"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["env"])
        _seeded(asked["offset"])
        for name in [name for name in sys.modules if name == "bench" or name.startswith("bench.")]:
            del sys.modules[name]
        command: list[str] = asked["command"]
        try:
            if command[0] == "-m":
                sys.argv, sys.path[0] = command[1:], os.getcwd()
                runpy.run_module(command[1], run_name="__main__", alter_sys=True)
            else:
                sys.argv, sys.path[0] = command, str(Path(command[0]).resolve().parent)
                runpy.run_path(command[0], run_name="__main__")
            code = 0
        except SystemExit as leave:
            code = leave.code if isinstance(leave.code, int) else 0 if leave.code is None else 1
            if isinstance(leave.code, str):
                print(leave.code, file=sys.stderr)
        atexit._run_exitfuncs()
    except BaseException:  # noqa: BLE001 - what ends the program is printed as Python would, and is its exit code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 255)


def _seeded(offset: int) -> None:
    """Generators as in a new process, or moved by an offset."""
    import importlib.util
    import random

    import numpy as np
    import torch

    random.seed()
    np.random.seed()
    if not offset:
        return
    os.environ["BENCH_SEED_OFFSET"] = str(offset)
    spec = importlib.util.spec_from_file_location("bench_reseed", RESEED / "sitecustomize.py")
    assert spec is not None and spec.loader is not None
    reseed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reseed)
    # What it waits for is imported already.
    reseed.of_numpy(np)
    reseed.of_torch(torch)


if __name__ == "__main__":
    serve()
