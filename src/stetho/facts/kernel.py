"""The kernel's log: processes killed for want of memory, faults of devices, storage and native code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class KernelEvent:
    """One thing that the kernel reported."""

    kind: str
    """`oom-kill`, `xid`, `ecc`, `nfs-stalled`, `nfs-back`, `io-error`, `read-only`, `segfault`, `blocked`, `gpu-reset`
    or `throttled`."""
    text: str
    """The line, without its time."""
    line: int
    """Its number in the log."""
    when: str = ""
    """The time as the log has it."""
    uptime: float | None = None
    """Seconds from the machine's start, where the log counts them."""
    age: float | None = None
    """Seconds ago, where that can be told."""
    pid: int | None = None
    """The process it is about."""
    process: str = ""
    """That process's name."""
    cgroup: str = ""
    """The control group that ran out of memory; empty when the whole machine did."""
    resident: int | None = None
    """Main memory that a killed process had, in bytes."""
    device: str = ""
    """The device, server or library concerned."""
    code: int | None = None
    """The number of an Xid."""


@dataclass(frozen=True)
class KernelLog(Fact):
    """What the kernel has reported that can end or hold up a training run."""

    fact: ClassVar[str] = "kernel-log"

    events: tuple[KernelEvent, ...]
    """The newest of them, oldest first, at most sixty."""
    lines: int
    """Lines that were read."""
    left_out: int = 0
    """Older events that are not listed."""
    family: tuple[int, ...] = ()
    """The processes of the run, the one asked about included."""
    quiet: float | None = None
    """Seconds since anything was written in the run's folder."""
