"""What a probe is: a cheap, read-only look at the machine or the run's surroundings, cut off when it takes too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from stetho.facts import Fact


@dataclass(frozen=True)
class Target:
    """What is looked at: a run's folder, and the processes that belong to it."""

    folder: Path
    """Without links, as far as it could be followed."""
    pid: int | None = None
    """The process that was asked about; it may be gone."""
    family: tuple[int, ...] = ()
    """The processes of the run that are there, the likely trainer first."""
    python: Path | None = None
    """The interpreter or environment that was asked about."""
    reachable: bool = True
    """Whether the folder answers; one on a dead disk must not be touched where something else is to be seen."""

    @property
    def trainer(self) -> int | None:
        """The process to look at when only one can be: the one asked about, else the likely trainer."""
        return self.pid if self.pid is not None else next(iter(self.family), None)


@dataclass(frozen=True)
class Seen:
    """A fact, in words too, and the exact command or files that it was read from."""

    fact: Fact
    summary: str
    read: str
    details: tuple[str, ...] = ()
    """Further lines, for people."""


@dataclass(frozen=True)
class Unknown:
    """What could not be seen, why not, and what to run instead."""

    what: str
    why: str
    instead: str = ""
    read: str = ""
    """What was tried."""


Piece: TypeAlias = "Seen | Unknown"


@dataclass(frozen=True)
class Example:
    """What a tool or a file of the kernel's said, and what must be read from it: the hardware is not needed."""

    text: str
    parser: Callable[[str], object]
    gives: object


@dataclass(frozen=True)
class Probe:
    """A declared probe. It gives facts, and says of the rest why it is unknown."""

    id: str
    gives: tuple[type[Fact], ...]
    reads: str
    function: Callable[[Target], Iterator[Piece]]
    doc: str
    limit: float
    """Seconds after which it is cut off."""
    needs: str = ""
    """The rights and tools without which it sees less."""
    instead: str = ""
    """What to run by hand when it was cut off."""
    at_start: bool = False
    """Whether it is of use before a run that stetho starts itself."""
    examples: Mapping[str, Example] = field(default_factory=dict)


def probe(
    *,
    gives: type[Fact] | tuple[type[Fact], ...],
    reads: str,
    needs: str = "",
    limit: float = 2.0,
    instead: str = "",
    at_start: bool = False,
    examples: Mapping[str, Example] | None = None,
) -> Callable[[Callable[[Target], Iterator[Piece]]], Probe]:
    """Declare a probe. `reads` says which files and commands it looks at; each piece records the exact ones."""

    def declare(function: Callable[[Target], Iterator[Piece]]) -> Probe:
        return Probe(
            id=function.__name__.replace("_", "-"),
            gives=gives if isinstance(gives, tuple) else (gives,),
            reads=reads,
            function=function,
            doc=re.sub(r"\n    ", "\n", function.__doc__ or "").strip(),
            limit=limit,
            needs=needs,
            instead=instead,
            at_start=at_start,
            examples=examples or {},
        )

    return declare
