"""What a probe is: a cheap, read-only look at the machine or the run's surroundings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stetho.facts import Fact


@dataclass(frozen=True)
class Probe:
    """A declared probe: it returns one fact, or None when the machine does not say."""

    id: str
    gives: type[Fact]
    reads: str
    function: Callable[[Path], Fact | None]
    doc: str


def probe(*, gives: type[Fact], reads: str) -> Callable[[Callable[[Path], Fact | None]], Probe]:
    """Declare a probe. `reads` says, for the record, which file or command it looks at."""

    def declare(function: Callable[[Path], Fact | None]) -> Probe:
        return Probe(
            id=function.__name__.replace("_", "-"),
            gives=gives,
            reads=reads,
            function=function,
            doc=re.sub(r"\n    ", "\n", function.__doc__ or "").strip(),
        )

    return declare
