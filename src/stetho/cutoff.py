"""Functions run side by side, each in a process of its own that can be left behind when it hangs.

A look at a dead network disk or a stuck driver cannot be interrupted: the thread that looks waits in the kernel. A
forked process can be given up, and takes nothing of this one with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stetho.evidence import Json

MOST = 8 * 1024 * 1024
"""What a function may answer, in bytes."""


@dataclass(frozen=True)
class Answer:
    """What a function gave, or how it failed; both are None when it was cut off."""

    seconds: float
    value: Json = None
    error: str | None = None
    cut_off: bool = False


@dataclass(frozen=True)
class Job:
    """A function that returns what JSON can hold, and the seconds it may take."""

    function: Callable[[], Json]
    limit: float


@dataclass
class _Child:
    pid: int
    pipe: int
    begun: float
    deadline: float
    data: bytearray


def run_all(jobs: Mapping[str, Job]) -> dict[str, Answer]:
    """The answers of all jobs, none later than its limit."""
    children = {name: _start(job) for name, job in jobs.items()}
    answers: dict[str, Answer] = {}
    try:
        while len(answers) < len(jobs):
            left = {name: child for name, child in children.items() if name not in answers}
            wait = max(0.0, min(child.deadline for child in left.values()) - time.monotonic())
            # Unlike select, poll bears the large numbers of handles in a process that has many files open.
            watch = select.poll()
            for child in left.values():
                watch.register(child.pipe, select.POLLIN)
            ready = {handle for handle, _ in watch.poll(wait * 1000)}
            for name, child in left.items():
                if child.pipe in ready and _drain(child):
                    answers[name] = _read(child)
                elif time.monotonic() >= child.deadline:
                    answers[name] = Answer(time.monotonic() - child.begun, cut_off=True)
    finally:
        for name, child in children.items():
            _end(child, finished=name in answers and not answers[name].cut_off)
    return answers


def _start(job: Job) -> _Child:
    reading, writing = os.pipe()
    begun = time.monotonic()
    with warnings.catch_warnings():
        # Newer Pythons warn of forks beside threads; the child takes no lock that a thread could hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            # Its own group, so that tools it starts can be ended with it.
            os.setpgid(0, 0)
            _be_plain()
            _work(job, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    return _Child(pid, reading, begun, begun + job.limit, bytearray())


def _be_plain() -> None:
    """Without the parent's handlers and its terminal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


def _work(job: Job, pipe: int) -> None:
    try:
        body = json.dumps({"value": job.function()})
    except BaseException as error:  # noqa: BLE001 - whatever it raises is its answer; the others go on
        body = json.dumps({"error": f"{type(error).__name__}: {error}"[:2000]})
    data = memoryview(body.encode("ascii", "backslashreplace"))
    while data:
        data = data[os.write(pipe, data) :]


def _drain(child: _Child) -> bool:
    """Take what is there; True when there will be no more."""
    part = os.read(child.pipe, 1 << 16)
    child.data += part
    return not part or len(child.data) > MOST


def _read(child: _Child) -> Answer:
    took = time.monotonic() - child.begun
    try:
        body = json.loads(child.data)
        return Answer(took, body.get("value"), body.get("error"))
    except (ValueError, AttributeError):
        return Answer(took, error="it ended without an answer")


def _end(child: _Child, *, finished: bool) -> None:
    with contextlib.suppress(OSError):
        os.close(child.pipe)
    if not finished:
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
    # One that waits in the kernel cannot be collected yet; whoever inherits it will do that.
    for _ in range(20):
        try:
            if os.waitpid(child.pid, 0 if finished else os.WNOHANG)[0]:
                return
        except ChildProcessError:
            return
        time.sleep(0.005)
