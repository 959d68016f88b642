"""The recording: one append-only file of JSON lines per process, complete up to the last event after kill -9."""

from __future__ import annotations

import json
import math
import os
import time
from typing import TYPE_CHECKING, Any, Iterable

if TYPE_CHECKING:
    from .sites import Place

# A run that records more than this has told enough; what follows is dropped, and that is recorded.
LIMIT = 256 * 1024 * 1024


def plain(value: Any) -> Any:
    """A value that strict JSON can hold: non-finite floats become strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


class Journal:
    """Writes events; opens its file on the first one, and a new one after a fork."""

    def __init__(self, directory: str, roots: list[str]) -> None:
        self.directory = directory
        self.roots = roots
        self.pid: int | None = None
        self.descriptor = -1
        self.written = 0
        self.sites: dict[tuple[Place, ...], int] = {}
        self.started = time.monotonic()

    def _open(self) -> None:
        """Start this process's own file; numbers of call sites hold within one file, so they start anew."""
        self.pid = os.getpid()
        rank = os.environ.get("RANK", "0")
        path = os.path.join(self.directory, f"r{rank}-{self.pid}.jsonl")
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.written = 0
        self.sites = {}

    def write(self, kind: str, **fields: Any) -> None:
        """Append one event; a recording that cannot be written is given up without a word to the program."""
        try:
            if self.pid != os.getpid():
                self._open()
            if self.written > LIMIT:
                return
            line = json.dumps({"e": kind, **plain(fields)}, separators=(",", ":"), default=str)
            data = line.encode("utf-8", "backslashreplace") + b"\n"
            self.written += len(data)
            if self.written > LIMIT:
                data = b'{"e":"full"}\n'
            os.write(self.descriptor, data)
        except OSError:
            return

    def site(self, frames: Iterable[Place]) -> int:
        """The number of a call site, written out the first time it is met."""
        key = tuple(frames)
        number = self.sites.get(key)
        if number is None or self.pid != os.getpid():
            if self.pid != os.getpid():
                self._open()
            number = self.sites[key] = len(self.sites)
            self.write("site", id=number, frames=[list(f) for f in key])
        return number
