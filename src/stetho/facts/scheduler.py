"""Who started the run and how it stands there: Slurm, torchrun, and what an exit code means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact, Setting


@dataclass(frozen=True)
class JobState:
    """A job, or a step of one, as the scheduler's accounting has it."""

    id: str
    """Its number."""
    name: str = ""
    """Its name."""
    state: str = ""
    """The scheduler's word, such as `RUNNING`, `TIMEOUT`, `OUT_OF_MEMORY`."""
    code: int | None = None
    """Its exit code."""
    signal: int | None = None
    """The signal that ended it; none when none did."""
    elapsed: float | None = None
    """Seconds that it ran."""
    limit: float | None = None
    """Seconds that it may run."""
    reason: str = ""
    """The scheduler's reason."""
    meaning: str = ""
    """State, code and signal in words."""
    highest: int | None = None
    """The most main memory a task of it had, in bytes."""


@dataclass(frozen=True)
class SchedulerJob(Fact):
    """What launched the run, and what that says of it."""

    fact: ClassVar[str] = "scheduler-job"

    kind: str
    """`slurm`, `torchrun`, `ranks` (of another launcher) or `kubernetes`, or several of them with a plus between."""
    jobs: tuple[JobState, ...] = ()
    """The job and its steps."""
    settings: tuple[Setting, ...] = ()
    """What the process's environment says: ranks, world size, restarts, devices."""
    restarts: int | None = None
    """How often an elastic launcher has started its workers anew."""
    ranks: tuple[int, ...] = ()
    """Ranks that are there on this machine."""
    local_world: int | None = None
    """Ranks that should be there on this machine."""
