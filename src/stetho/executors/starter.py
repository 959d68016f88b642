"""Starts the worker program on another machine, listens to it and passes on what it is told.

Standard library only, as this file is what travels: a cluster's own process runs it, in an environment of the
cluster's making. The worker gets the environment of whoever asks, so that the user's program sees no difference.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

# stetho may be found through a relative path; where the same files can be seen, they are the ones to run.
PROGRAM = "import sys; sys.path.append(sys.argv[1]); from stetho.executors.worker import main; main()"
PROGRESS, ARCHIVE = b"progress ", b"archive\n"
# Files by which a starter and whoever asks talk where they have nothing but a file system in common.
PARCEL, STOP, NEWS, ANSWER = "parcel.json", "stop", "progress", "answer"
PAUSE = 0.2
LAST_WORDS = 2000


class Starter:
    """One worker program, from its start to what it left."""

    place = ""
    """What the cluster calls the machine, where that is more than its name."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.news = ""
        self.reason = ""
        self.lock = threading.Lock()

    def run(self, parcel: str) -> bytes:
        """A line that says how it went, then the archive of what the run left."""
        told = json.loads(parcel)
        with tempfile.TemporaryFile() as words:
            try:
                process = _started(told, words.fileno())
            except OSError as error:
                return self._head({"died": f"{told['python']} could not be started: {error.strerror}"})
            with self.lock:
                self.process = process
                _say(process, told["order"])
                if self.reason:
                    _say(process, f"stop {self.reason}")
            archive = _listened(process, self)
            code = process.wait()
            words.seek(max(0, words.seek(0, os.SEEK_END) - LAST_WORDS))
            last = words.read().decode("utf-8", "backslashreplace").strip()
        if archive is None or code != 0:
            ended = f"signal {-code}" if code < 0 else f"exit code {code}"
            return self._head({"died": f"its process ended with {ended}", "words": last})
        return self._head({}) + archive

    def look(self, reason: str = "") -> str:
        """How far the run has come, as JSON, empty before it begins; a reason ends it."""
        with self.lock:
            if reason and not self.reason:
                self.reason = reason
                if self.process is not None:
                    _say(self.process, f"stop {reason}")
        return self.news

    def _head(self, said: dict[str, str]) -> bytes:
        return json.dumps({"node": socket.gethostname(), "place": self.place, **said}).encode() + b"\n"


class OnNode(Starter):
    """The same as an actor, which knows the node it is on."""

    def run(self, parcel: str) -> bytes:
        import ray

        self.place = ray.get_runtime_context().get_node_id()[:8]
        return super().run(parcel)


def _say(process: subprocess.Popen[bytes], line: str) -> None:
    # One that has died is noticed where it is listened to.
    with contextlib.suppress(OSError):
        assert process.stdin is not None
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()


def _started(told: dict[str, object], words: int) -> subprocess.Popen[bytes]:
    python = str(told["python"]) if os.path.exists(str(told["python"])) else sys.executable
    environment = dict(told["environment"])  # type: ignore[call-overload]
    # Devices that the cluster has set aside for this job are the ones to use.
    for name in told["assigned"]:  # type: ignore[attr-defined]
        environment.pop(name, None)
        environment.update({name: os.environ[name]} if name in os.environ else {})
    if not os.path.isdir(environment.get("TMPDIR", "/")):
        environment["TMPDIR"] = tempfile.gettempdir()
    return subprocess.Popen(
        [python, "-c", PROGRAM, str(told["library"])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=words,
        env=environment,
        cwd="/",
        start_new_session=True,
    )


def _listened(process: subprocess.Popen[bytes], starter: Starter) -> bytes | None:
    """Take the news as it comes; then the archive, None when the worker ended without one."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(PROGRESS):
            starter.news = line[len(PROGRESS) :].decode()
        elif line == ARCHIVE:
            return process.stdout.read()
    return None


def serve(folder: str) -> None:
    """Run the parcel of a shared folder, with news, a reason to stop and the answer as files beside it."""
    place, starter, over = Path(folder), Starter(), threading.Event()

    def talk() -> None:
        while not over.wait(PAUSE):
            with contextlib.suppress(OSError):
                reason = (place / STOP).read_text() if (place / STOP).exists() else ""
                news = starter.look(reason)
                if news:
                    _put(place / NEWS, news.encode())

    beside = threading.Thread(target=talk, daemon=True)
    beside.start()
    try:
        _put(place / ANSWER, starter.run((place / PARCEL).read_text()))
    finally:
        over.set()
        beside.join()


def _put(file: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    part.write_bytes(data)
    part.rename(file)
