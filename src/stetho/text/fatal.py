"""What Python itself writes when it cannot go on: a fatal error, and the stack of every thread."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stetho.evidence import Place

FATAL_ERROR = "Fatal Python error"
FATAL = re.compile(rf"^{FATAL_ERROR}: (?P<message>.+)$")
THREAD = re.compile(r"^(?P<current>Current thread|Thread) 0x[0-9a-fA-F]+.*\(most recent call first\):?")
FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)$')
BESIDE = re.compile(r"^(?:Extension modules: |Python runtime state: |Current thread's C stack trace|<Cannot show )")
# Lines of a stack that are looked at, and frames that are kept: the innermost ones come first.
MOST_LINES, MOST_FRAMES = 20_000, 100


@dataclass
class Dump:
    """A fatal error, and the stack of the thread that met it."""

    message: str
    number: int
    order: int
    frames: list[Place] = field(default_factory=list)
    """Of the thread that failed, the innermost first."""
    names: list[str] = field(default_factory=list)
    current: bool = False
    lines: int = 0

    def takes(self, line: str) -> bool:
        """Take one line below the error; whether it belongs to it."""
        self.lines += 1
        if self.lines > MOST_LINES:
            return False
        thread = THREAD.match(line)
        if thread is not None:
            self.current = thread["current"] != "Thread"
            return True
        frame = FRAME.match(line)
        if frame is not None and self.current and len(self.frames) < MOST_FRAMES:
            self.frames.append(Place(frame["file"], int(frame["line"][:9])))
            self.names.append(frame["name"])
        return not line.strip() or line[0].isspace() or BESIDE.match(line) is not None
