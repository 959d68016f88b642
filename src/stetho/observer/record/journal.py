"""The recording: append-only files of JSON lines per process, complete up to the last flush after kill -9."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable

from .. import guard, sites
from . import thinning

if TYPE_CHECKING:
    from ..sites import Place

# A segment that has grown to this size is closed; when there are this many, the older ones are thinned.
SEGMENT = 8 * 1024 * 1024
SEGMENTS = 6
# Steps that are not yet written are written after this many seconds, at the end of the step under way.
FLUSH = 0.2
# The recording's descriptor has at least this number, where it is in nobody's way: the program's own have the numbers
# that they have without it, and a standard stream that the program closes is not replaced by it.
ASIDE = 100


def plain(value: Any) -> Any:
    """A value that strict JSON can hold: non-finite floats become strings."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def identity(descriptor: int) -> tuple[int, int]:
    """The file behind a descriptor; none when it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError as error:
        if guard.from_signal(error):
            raise
        return (-1, -1)
    return found.st_dev, found.st_ino


def aside(descriptor: int) -> int:
    """The same file under a number that programs do not count on; the first one is closed."""
    try:
        import fcntl

        moved = fcntl.fcntl(descriptor, getattr(fcntl, "F_DUPFD_CLOEXEC", fcntl.F_DUPFD), ASIDE)
    except (ImportError, OSError) as error:
        # So many files may not be open, or the system knows no such call.
        if guard.from_signal(error):
            raise
        return descriptor
    os.close(descriptor)
    return moved


class Journal:
    """Writes events; opens its file on the first one, and a new one after a fork."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.pid: int | None = None
        self.descriptor = -1
        self.identity = (0, 0)
        # Reentrant: a signal handler of the program's may call torch while an event is being written.
        self.lock = threading.RLock()
        self.segment = 0
        self.written = 0
        self.broken = False
        self.sites: dict[tuple[Place, ...], int] = {}
        # With the code that each stands in, so that no other code comes to its address.
        self.lines: dict[tuple[int, int, int], tuple[int, Any]] = {}
        self.started = time.monotonic()
        self.flushed = self.started
        # Called before a flush: those who gather steps hand them over.
        self.gathering: list[Callable[[], None]] = []

    def path(self, segment: int) -> str:
        """The file of one segment of this process."""
        rank = os.environ.get("RANK", "0")
        part = f".{segment}" if segment else ""
        return os.path.join(self.directory, f"r{rank}-{self.pid}{part}.jsonl")

    def _open(self) -> None:
        """Start this process's own file; numbers of call sites hold within one process, so they start anew."""
        self.pid = os.getpid()
        self.segment = 0
        self.sites = {}
        self.lines = {}
        self._open_segment()

    def _open_segment(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self.descriptor = aside(os.open(self.path(self.segment), flags, 0o644))
        self.identity = identity(self.descriptor)
        self.written = 0

    def write(self, kind: str, **fields: Any) -> None:
        """Append one event."""
        self.write_plain(kind, plain(fields))

    def write_plain(self, kind: str, fields: dict[str, Any]) -> None:
        """Append one event that JSON can hold; a recording that cannot be written is given up without a word."""
        if self.broken:
            return
        line = json.dumps({"e": kind, **fields}, separators=(",", ":"), default=str)
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        try:
            with self.lock:
                self._append(data)
        except OSError as error:
            # A timer of the program's may raise a TimeoutError, which is an OSError, too.
            if guard.from_signal(error):
                raise
            self.broken = True

    def _append(self, data: bytes) -> None:
        """Write one line in one piece, into this process's own file and nobody else's."""
        if self.pid != os.getpid():
            self._open()
        elif identity(self.descriptor) != self.identity:
            # The program has closed what it did not open, and may have a file of its own under that number.
            self._open_segment()
        if self.written + len(data) > SEGMENT:
            # First, so that what a signal handler writes meanwhile does not begin another one.
            self.written = 0
            self._next_segment()
        self.written += len(data)
        if os.write(self.descriptor, data) != len(data):
            # A disk that fills up takes part of a line; the reader passes over it, nothing may follow it.
            self.broken = True

    def _next_segment(self) -> None:
        """Go on in a new file, and halve the resolution of the oldest ones when there are too many."""
        old = self.descriptor
        self.segment += 1
        self._open_segment()
        os.close(old)
        if self.segment >= SEGMENTS:
            paths = [self.path(s) for s in range(self.segment)]
            thinning.begin(paths[1:], SEGMENT * (SEGMENTS - 2), lock=paths[0])

    def close(self) -> None:
        """Write nothing any more."""
        with self.lock:
            self.broken = True
            if self.pid == os.getpid() and identity(self.descriptor) == self.identity:
                os.close(self.descriptor)

    def due(self, now: float) -> bool:
        """Whether it is time to write what was gathered."""
        return now - self.flushed >= FLUSH

    def flush(self) -> None:
        """Write what was gathered since the last flush."""
        self.flushed = time.monotonic()
        if self.pid is not None and self.pid != os.getpid():
            # A forked child begins with copies of steps that its parent will write.
            return
        for hand_over in self.gathering:
            hand_over()

    def here(self, depth: int) -> int:
        """The number of the call site that the program is at, found by its innermost line and that line's caller."""
        frame = sites.first_user_frame(depth + 1)
        if frame is None:
            return self.site(())
        caller = frame.f_back
        key = (id(frame.f_code), frame.f_lasti, -1 if caller is None else caller.f_lasti)
        known = self.lines.get(key)
        if known is None:
            known = self.lines[key] = (self.site(sites.here(3, depth + 1)), frame.f_code)
        return known[0]

    def forget(self) -> None:
        """In a forked child: what it writes goes into a file of its own, with call sites numbered anew."""
        self.lines, self.pid, self.lock = {}, None, threading.RLock()

    def frames(self, number: int) -> list[Place]:
        """The places of a call site."""
        return next((list(key) for key, n in self.sites.items() if n == number), [])

    def site(self, frames: Iterable[Place]) -> int:
        """The number of a call site, written out the first time it is met."""
        key = tuple(frames)
        number = self.sites.get(key)
        if number is None or self.pid != os.getpid():
            if self.pid != os.getpid():
                self._forked()
            number = self.sites[key] = len(self.sites)
            self.write("site", id=number, frames=[list(f) for f in key])
        return number

    def _forked(self) -> None:
        try:
            self._open()
        except OSError as error:
            if guard.from_signal(error):
                raise
            self.broken = True
