"""The end: how the process ended, the exception behind it, and lines that an investigation pointed at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class RunEnd(Fact):
    """How the observed process ended."""

    fact: ClassVar[str] = "run-end"

    code: int | None
    """Its exit code; None when a signal ended it."""
    signal: str | None = None
    """The signal that ended it."""
    steps: int = 0
    """Steps of the busiest optimizer."""
    seconds: float = 0.0
    """How long it ran."""
    attached: bool = True
    """Whether the observer met torch."""
    stopped_by: str | None = None
    """What ended it before its time: `bound`, `time`, `symptom`, an alarm, or `interrupt`; `unfinished` when its end
    was not seen; None when it ended by itself."""
    backwards: int = 0
    """Backward calls that were seen."""
    why_not: str = ""
    """Why no step was recorded, as far as it can be told; empty when steps were."""
    inferred: bool = False
    """Whether its code was not seen, and follows from what a log says last."""


@dataclass(frozen=True)
class Crash(Fact):
    """An exception that ended the program, as its traceback tells it."""

    fact: ClassVar[str] = "crash"

    exception: str
    """The exception's class."""
    message: str
    """What it says."""
    where: Place | None = None
    """The innermost line of the user's."""
    frames: tuple[Place, ...] = ()
    """The frames of the traceback, outermost first."""
    log_line: int | None = None
    """The line of the log that names the exception."""
    lines_after: int = 0
    """Lines of output after the traceback: many of them, in a log, mean that the program caught it and went on."""
    chain: tuple[str, ...] = ()
    """The exceptions that led to it, the first one first."""
    rank: str = ""
    """The rank that raised it, where the log tells."""
    code: str = ""
    """The code at `where`, as the log shows it."""
    forward: Place | None = None
    """The user's line whose gradient failed, where autograd's own search for NaN shows it."""
    calls: tuple[str, ...] = ()
    """The innermost calls, whoever's they are, outermost first: the end of the file's path and the function."""


@dataclass(frozen=True)
class ThreadFailure(Fact):
    """An exception that ended a thread, as the last thing that a log tells; the program may have gone on without it."""

    fact: ClassVar[str] = "thread-failure"

    thread: str
    """The thread's name."""
    exception: str
    """The exception's class."""
    message: str
    """What it says."""
    where: Place | None = None
    """The innermost line of the user's."""
    own: bool = False
    """Whether code of the user's was running in it."""
    log_line: int | None = None
    """The line of the log that names the exception."""


@dataclass(frozen=True)
class SourceLines(Fact):
    """Lines of the user's code that an earlier step of the investigation pointed at."""

    fact: ClassVar[str] = "source-lines"

    subject: str
    """What they were looked up for."""
    places: tuple[Place, ...] = field(default=())
    """The lines."""
