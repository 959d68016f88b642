"""Limits that a container, shared memory and the shell put on a run, and how near it is to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class ResourceLimits(Fact):
    """What the run may use at most, and what it uses. In bytes where not said otherwise; none is no limit known."""

    fact: ClassVar[str] = "resource-limits"

    pid: int | None = None
    """The process that they hold for; none when they are those of the shell that stetho was called from."""
    memory_max: int | None = None
    """Main memory that the control group may use; the strictest of the groups it is in."""
    memory_used: int | None = None
    """Main memory that it uses, without file contents that can be dropped."""
    oom_kills: int | None = None
    """Processes of the group that were killed for want of memory since the group was made."""
    limit_hits: int | None = None
    """How often the group has hit its memory limit."""
    processes_max: int | None = None
    """Processes and threads that the group may have."""
    processes: int | None = None
    """Those that it has."""
    cores: float | None = None
    """Cores that the group may use."""
    throttled: float | None = None
    """The share of scheduling periods in which the group was held back by that limit."""
    shm_size: int | None = None
    """Size of /dev/shm, through which loader workers hand over batches."""
    shm_used: int | None = None
    """Its use."""
    files_max: int | None = None
    """Files that the process may hold open."""
    files: int | None = None
    """Those that it holds open."""
    core_max: int | None = None
    """Size of a core dump; 0 writes none."""
    memlock_max: int | None = None
    """Memory that it may pin."""
    address_max: int | None = None
    """Address space that it may have."""
    user_processes_max: int | None = None
    """Processes and threads that its user may have."""
    loaders: int = 0
    """Loader workers among the run's processes."""
