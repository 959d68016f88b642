"""Collective calls: what a rank's flight recorder kept, and at which call each rank stood at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Collective:
    """One call that ranks make together, or from one to another."""

    group: str
    """The process group."""
    sequence: int | None
    """Its number within the group; ranks that agree have made the same calls up to the same number."""
    name: str
    """What was called, as the backend names it."""
    state: str
    """scheduled, started or completed."""
    p2p: bool = False
    """Whether it goes from one rank to another."""
    sizes: tuple[tuple[int, ...], ...] = ()
    """The shapes of its inputs."""
    types: tuple[str, ...] = ()
    """The data types of its inputs."""
    where: Place | None = None
    """The innermost line of the user's that called it."""
    created: float | None = None
    """When it was called, in seconds since 1970."""
    timeout: float | None = None
    """The seconds after which the backend gives up."""


@dataclass(frozen=True)
class GroupProgress:
    """How far one process group came, as its own status says."""

    group: str
    """The process group."""
    enqueued: int | None
    """The last call that was put into the queue."""
    started: int | None
    """The last call that began on the device."""
    completed: int | None
    """The last call that ended."""


@dataclass(frozen=True)
class Collectives(Fact):
    """What one rank's flight recorder holds: the last collective calls, and those that never ended."""

    fact: ClassVar[str] = "collectives"

    version: str
    """The version of the recorder's format."""
    rank: int | None
    """The rank, where the dump tells it."""
    entries: int
    """Calls on record."""
    completed: int
    """Those among them that ended."""
    open: tuple[Collective, ...] = ()
    """Calls that did not end, oldest first, at most a hundred."""
    last: tuple[Collective, ...] = ()
    """The last call of each process group."""
    groups: tuple[GroupProgress, ...] = ()
    """How far each process group came, where the dump says it."""


@dataclass(frozen=True)
class RankCall:
    """A collective call that one rank had made and that did not end."""

    rank: str
    """The rank, as far as it is told."""
    group: str
    """The process group; empty where it is not told."""
    sequence: int | None
    """Its number within the group; none where only a stack tells of it."""
    name: str
    """What was called, in small letters without a backend's prefix, as `allreduce`."""
    elements: int | None = None
    """Elements of its inputs."""
    where: Place | None = None
    """The line of the user's that called it."""
    file: str = ""
    """The artifact that tells it."""
    line: int | None = None
    """The line of a log that tells it."""


@dataclass(frozen=True)
class RankCalls(Fact):
    """The collective calls in which ranks waited at the end, by flight recorders, watchdogs and stacks."""

    fact: ClassVar[str] = "rank-calls"

    calls: tuple[RankCall, ...]
    """The calls, at most two hundred."""
