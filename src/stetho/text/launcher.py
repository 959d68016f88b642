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


@dataclass(frozen=True)
class FirstFailure:
    """The process that failed first, as the launcher saw it."""

    code: int
    """Its exit code; a signal's number below zero."""
    rank: int | None
    line: int

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
