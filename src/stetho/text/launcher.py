"""What a launcher says of the process that failed first: its rank, and its exit code or signal."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from stetho.text.even import text

TITLE = re.compile(r"Root Cause \(first observed failure\)")
CODE = re.compile(r"\bexitcode\s*: ?(?P<code>-?\d{1,5})")
RANK = re.compile(r"\brank\s*: ?(?P<rank>\d{1,6})")
# Lines of the launcher's report on one process.
REPORT = 9
# The last word of a shell, a container or an editor on the process that it ran.
STATUS = re.compile(
    r"\b(?:exit(?:ed)?|finished|ended|terminated|returned)\b[\w -]{0,30}?\b(?:code|status)[ :=]{1,3}"
    r"(?P<code>-?\d{1,10})(?: ?\([^)]{0,80}\))?[.'\"]?$",
    re.IGNORECASE,
)
# Shells tell a signal by a code above this.
SHELL = 128


@dataclass(frozen=True)
class FirstFailure:
    """The process that failed first, as the launcher saw it."""

    code: int
    """Its exit code; a signal's number below zero."""
    rank: int | None
    line: int
    said: str = ""
    """The line, where it is the only word on it."""

    @property
    def signal(self) -> str | None:
        """The signal that ended it."""
        if self.code >= 0:
            return None
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


def first_failure(tail: Sequence[tuple[int, bytes]]) -> FirstFailure | None:
    """What the last report of a launcher says, from a log's last lines: their numbers and texts."""
    for place in range(len(tail) - 1, -1, -1):
        if TITLE.search(text(tail[place][1][:500])) is None:
            continue
        rank = None
        for number, raw in tail[place + 1 : place + 1 + REPORT]:
            line = text(raw[:500])
            rank = rank or RANK.search(line)
            found = CODE.search(line)
            if found is not None and int(found["code"]):
                return FirstFailure(int(found["code"]), int(rank["rank"]) if rank else None, number)
        return None
    return None


def reported(tail: Sequence[tuple[int, bytes]]) -> FirstFailure | None:
    """The exit status that a log's very last line tells; None where it was well."""
    spoken = [(number, line) for number, raw in tail if (line := text(raw[:500]).strip())]
    found = STATUS.search(spoken[-1][1]) if spoken else None
    if found is None or not int(found["code"]):
        return None
    code = int(found["code"])
    return FirstFailure(SHELL - code if SHELL < code <= SHELL + 64 else abs(code), None, *spoken[-1])
