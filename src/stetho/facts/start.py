"""The start: states that were loaded and seeds that were set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Load:
    """A state that was loaded."""

    what: str
    """model, optimizer or scheduler."""
    name: str
    """The class that it was loaded into."""
    keys: int | None
    """Entries in what was loaded."""
    missing: tuple[str, ...]
    """Entries that it did not have, which kept their values."""
    unexpected: tuple[str, ...]
    """Entries that nothing took."""
    strict: bool | None
    """Whether a mismatch would have been an error."""
    where: Place | None
    """The line that loaded it."""
    step: int
    """The step before which it was loaded."""


@dataclass(frozen=True)
class Resumed(Fact):
    """The states that were loaded, and which of their entries found no place."""

    fact: ClassVar[str] = "resumed"

    loads: tuple[Load, ...]
    """The loads in their order."""


@dataclass(frozen=True)
class Seed:
    """A call that seeds a random generator."""

    what: str
    """torch, numpy or random."""
    value: int | None
    """The seed, where it is a number."""
    where: Place | None
    """The line that sets it."""
    step: int
    """The step before which it was set."""


@dataclass(frozen=True)
class Seeds(Fact):
    """Where the program seeds its random generators; empty means that it does not."""

    fact: ClassVar[str] = "seeds"

    seeds: tuple[Seed, ...]
    """The calls in their order, at most fifty."""
    calls: int = 0
    """All calls."""
