"""Runs a command for real: in its place, with its own files, environment and terminal, and nobody's bound."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stetho.errors import BadRequest
from stetho.executors.local import injected
from stetho.executors.relay import Relay, Signals

if TYPE_CHECKING:
    import psutil

# Seconds that a program which is told to end has for its last words.
GRACE = 10.0
# Seconds between two looks at the recording, and at a terminal that the program writes to.
PAUSE, SHORT_PAUSE = 0.2, 0.05


@dataclass(frozen=True)
class Ran:
    """How the command ended: its exit code, or the signal that ended it."""

    code: int | None
    signal: str | None
    seconds: float
    stopped_by: str | None
    exit_code: int
    """What a shell would give for it."""
    injection_error: str | None = None


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Family:
    """The command and all that it started, also what outlives its parent."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.known: dict[int, psutil.Process] = {}

    def members(self) -> list[psutil.Process]:
        import psutil

        with contextlib.suppress(psutil.Error):
            first = psutil.Process(self.pid)
            self.known.update((p.pid, p) for p in (first, *first.children(recursive=True)))
        return [p for p in self.known.values() if _alive(p)]

    def spent(self) -> float:
        """Processor seconds taken so far."""
        return sum(self._each(lambda p: sum(p.cpu_times()[:4])))

    def send(self, number: int) -> None:
        list(self._each(lambda p: p.send_signal(number)))

    def _each(self, ask: Callable[[psutil.Process], float | None]) -> Iterator[float]:
        import psutil

        for process in self.members():
            with contextlib.suppress(psutil.Error):
                yield ask(process) or 0.0


def _alive(process: psutil.Process) -> bool:
    import psutil

    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


class Watcher:
    """What wants to be told while the command runs; its answers decide whether that goes on."""

    def begun(self, family: Family) -> None:
        """The command has started."""

    def look(self) -> str | None:
        """Called again and again; a reason to end the command, or None."""
        return None

    def resumed(self) -> None:
        """The whole was suspended, and goes on."""


def run(command: Sequence[str], plan_file: Path, watcher: Watcher, relay: Relay | None = None) -> Ran:
    """Start the command on our own standard streams, or on the relay's for those that it stands in for."""
    begun = time.monotonic()
    with Signals() as signals:
        try:
            process = subprocess.Popen(
                command,
                env=injected(plan_file, dict(os.environ)),
                stdout=relay.stream(1) if relay else None,
                stderr=relay.stream(2) if relay else None,
                preexec_fn=signals.restore,  # noqa: PLW1509 - there are no threads, and no other way to a signal mask
            )
        except OSError as error:
            raise BadRequest(f"cannot run '{command[0]}': {error.strerror}") from error
        if relay:
            relay.started()
        stopped = _Run(process, signals, watcher, relay).wait()
    code, ended = process.returncode, time.monotonic()
    failure = plan_file.with_suffix(".json.error")
    return Ran(
        code=code if code >= 0 else None,
        signal=_name(-code) if code < 0 else None,
        seconds=ended - begun,
        stopped_by=stopped or ("interrupt" if code and ended - signals.interrupted < GRACE else None),
        exit_code=code if code >= 0 else 128 - code,
        injection_error=failure.read_text(errors="replace") if failure.exists() else None,
    )


class _Run:
    """The time from the start of the command to its end."""

    def __init__(
        self, process: subprocess.Popen[bytes], signals: Signals, watcher: Watcher, relay: Relay | None
    ) -> None:
        self.process = process
        self.signals = signals
        self.watcher = watcher
        self.relay = relay
        self.family = Family(process.pid)
        self.stopped: str | None = None
        self.deadline = float("inf")
        self.next_look = 0.0

    def wait(self) -> str | None:
        """Until the command has ended: its output, its signals, and what the watcher says."""
        self.watcher.begun(self.family)
        # Of a command that is stopped, what it started may still have last words when it has gone itself.
        while self.process.poll() is None or (self.stopped and self.family.members()):
            for number, everyone in self.signals.wait(0.0 if self.relay else PAUSE):
                self._pass_on(number, everyone)
            if self.relay:
                self.relay.copy(SHORT_PAUSE)
            now = time.monotonic()
            if now > self.deadline:
                self.family.send(signal.SIGKILL)
            if now >= self.next_look:
                self.next_look = now + PAUSE / 2
                self._stop(self.watcher.look())
        if self.relay:
            self.relay.finish()
        return self.stopped

    def _stop(self, reason: str | None) -> None:
        if reason is None or self.stopped is not None:
            return
        self.stopped = reason
        self.deadline = time.monotonic() + GRACE
        self.family.send(signal.SIGTERM)

    def _pass_on(self, number: int, everyone: bool) -> None:
        """What was sent to us alone is meant for the command; a terminal has sent it to both."""
        if number == signal.SIGWINCH:
            if self.relay and self.relay.resize():
                # The program was told of the new size before its own terminal had it.
                os.killpg(os.getpgrp(), number)
            return
        if not everyone:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)
        if number == signal.SIGTSTP:
            if self.relay:
                self.relay.screen.release()
            self.signals.suspend()
        elif number == signal.SIGCONT:
            self.watcher.resumed()
