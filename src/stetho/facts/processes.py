"""The processes of a run as they are now: alive, stopped or dead, busy or idle, what they hold open and wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class ProcessState:
    """One process."""

    pid: int
    """Its number."""
    parent: int
    """The number of the process that started it; 1 when that one is gone."""
    state: str
    """`running`, `sleeping`, `uninterruptible`, `stopped`, `traced`, `zombie`, `dead` or `idle`."""
    settled: bool = True
    """Whether it was in this state all the time that it was watched, and not only at the end."""
    command: tuple[str, ...] = ()
    """Its command line, secrets left out."""
    role: str = "other"
    """`trainer`, `launcher`, `worker` (of a data loader), or `other`."""
    frameworks: tuple[str, ...] = ()
    """Frameworks whose libraries are mapped into it, such as `torch`."""
    age: float | None = None
    """Seconds since it was started."""
    threads: int | None = None
    """Its threads."""
    resident: int | None = None
    """Main memory in use, in bytes."""
    cores: float | None = None
    """Cores kept busy over the time it was watched."""
    read: int | None = None
    """Bytes read in that time, from files, pipes and sockets."""
    written: int | None = None
    """Bytes written in that time."""
    files: tuple[str, ...] = ()
    """Files in the run's folder that it holds open for writing, at most ten."""
    sockets: int | None = None
    """Sockets that it holds open."""
    handles: int | None = None
    """Everything that it holds open."""
    orphan: bool = False
    """Whether its parent has gone."""
    rank: int | None = None
    """Its rank, where its environment names one."""


@dataclass(frozen=True)
class Processes(Fact):
    """The processes of a run, watched for a moment, the likely trainer first."""

    fact: ClassVar[str] = "processes"

    processes: tuple[ProcessState, ...]
    """Those that belong to the run, at most forty."""
    watched: float
    """Seconds for which they were watched."""
    asked: int | None = None
    """The process that was asked about."""
    gone: bool = False
    """Whether the process that was asked about is not there."""


@dataclass(frozen=True)
class Frame:
    """One line of a stack."""

    function: str
    """The function's name."""
    file: str
    """The file it is in."""
    line: int | None = None
    """The line it is at."""


@dataclass(frozen=True)
class ThreadStack:
    """One thread and what it waits for."""

    thread: int
    """Its number in the kernel."""
    name: str = ""
    """Its name."""
    state: str = ""
    """The kernel's letter: R running, S sleeping, D uninterruptible, T stopped."""
    waits_for: str = ""
    """What it waits for, in words; empty when it runs or cannot be told."""
    call: str = ""
    """The system call, or the place in the kernel, that it is in."""
    frames: tuple[Frame, ...] = ()
    """Its Python stack, innermost first; empty without py-spy."""


@dataclass(frozen=True)
class Waiting(Fact):
    """What the run's processes wait for, thread by thread; looked at when none makes progress, or when asked for."""

    fact: ClassVar[str] = "waiting"

    pid: int
    """The process that the threads belong to: the likely trainer."""
    threads: tuple[ThreadStack, ...]
    """Its threads, the main one first, at most forty."""
    cores: float
    """Cores that the whole family kept busy while it was watched."""
    moved: int
    """Bytes that the whole family read and wrote in that time."""
    watched: float
    """Seconds for which it was watched."""
    quiet: float | None = None
    """Seconds since anything was written in the run's folder."""
    reachable: bool = True
    """Whether the run's folder answers; on a dead disk it does not."""
    others: tuple[ThreadStack, ...] = ()
    """The main threads of the other processes, such as other ranks."""


@dataclass(frozen=True)
class SavedStack:
    """One thread of a dump that somebody saved."""

    pid: int
    """Its process."""
    frames: tuple[Frame, ...]
    """Its Python stack, innermost first, at most sixty."""
    idle: bool | None = None
    """Whether it waited; none where the dump does not say."""
    name: str = ""
    """Its name."""
    line: int | None = None
    """The line of the dump at which it begins."""


@dataclass(frozen=True)
class SavedStacks(Fact):
    """What the threads of a run did when somebody looked, as a saved dump tells it."""

    fact: ClassVar[str] = "saved-stacks"

    stacks: tuple[SavedStack, ...]
    """The threads in the order of the dump, at most four hundred."""
    taken: float | None = None
    """When it was taken, in seconds since 1970, where the dump says."""


@dataclass(frozen=True)
class Standstill(Fact):
    """How a run stood when somebody looked: who waited, for how long, and for whom."""

    fact: ClassVar[str] = "standstill"

    idle: int = 0
    """Processes whose main thread waited."""
    active: int = 0
    """Processes whose main thread ran."""
    silent: float | None = None
    """Seconds from the last line of the log to the look."""
    usual: float | None = None
    """Seconds between two lines, as long as there were some."""
    circle: str = ""
    """In words, a process that waits for another one that waits for a lock."""
    apart: str = ""
    """In words, ranks that wait in different collective calls."""
    step: int | None = None
    """The last step that was logged."""
    where: tuple[Place, ...] = ()
    """The lines of the user's at which they stood."""
    watched: float | None = None
    """Seconds for which all of its processes were watched from outside, where they did nothing at all."""
    waits_in: str = ""
    """The function in which the main thread stood."""
