"""The log: what a text says in known words, how far it tells of coming, and what stands out in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Statement:
    """One thing that a log says in words that are known."""

    phrase: str
    """The phrase by which it is known."""
    text: str
    """The line that says it first."""
    line: int
    """Where that line stands."""
    count: int = 1
    """How many lines say it."""
    last_text: str = ""
    """The line that says it last; empty when there is one only."""
    last_line: int | None = None
    """Where that line stands."""
    lines_after: int = 0
    """Lines of output after the last one: many of them mean that the program went on."""
    file: str = ""
    """The log; empty where there is only one, as on standard input."""

    @property
    def told(self) -> str:
        """The line that says it last, with its place."""
        return f"{self._at(self.last_line or self.line)}: {self.last_text or self.text}"

    @property
    def first_told(self) -> str:
        """The line that says it first, with its place."""
        return f"{self._at(self.line)}: {self.text}"

    def _at(self, line: int) -> str:
        return f"{self.file}:{line}" if self.file else f"line {line}"


@dataclass(frozen=True)
class Statements(Fact):
    """What a log says in known words; empty when it says nothing of the kind."""

    fact: ClassVar[str] = "statements"

    said: tuple[Statement, ...] = ()
    """Everything that was said, in the order in which it was first said."""

    def of(self, *phrases: str) -> tuple[Statement, ...]:
        """Those that say one of these things."""
        return tuple(one for one in self.said if one.phrase in phrases)


@dataclass(frozen=True)
class LoggedException:
    """An exception, as its traceback in a log tells it."""

    exception: str
    """Its class."""
    message: str
    """What it says."""
    where: Place | None = None
    """The innermost line of the user's."""
    line: int | None = None
    """The line of the log that names it."""
    run: str = ""
    """The rank that raised it, where the log tells."""
    chain: tuple[str, ...] = ()
    """The exceptions that led to it, the first one first."""
    lines_after: int = 0
    """Lines of output after it."""


@dataclass(frozen=True)
class Tracebacks(Fact):
    """All exceptions that a log tells of, when there is more than one."""

    fact: ClassVar[str] = "tracebacks"

    count: int
    """How many there are."""
    first: LoggedException
    """The first of them."""
    last: LoggedException
    """The last of them."""
    by_rank: tuple[LoggedException, ...] = ()
    """The last one of each rank, in the order in which they came."""


@dataclass(frozen=True)
class Progress(Fact):
    """How far a log tells of coming."""

    fact: ClassVar[str] = "progress"

    step: int | None = None
    """The last step."""
    total: int | None = None
    """What the steps count up to."""
    epoch: float | None = None
    """The last epoch."""
    epochs: int | None = None
    """What the epochs count up to."""
    line: int | None = None
    """The line that says so."""
    lines_after: int = 0
    """Lines of the log after it."""


@dataclass(frozen=True)
class RepeatedLine:
    """A line that a log has once or more often; numbers in it may differ."""

    text: str
    """The first of them."""
    line: int
    """Where it stands."""
    count: int = 1
    """How many there are."""
    last_line: int | None = None
    """Where the last one stands."""


@dataclass(frozen=True)
class LoggedWarnings(Fact):
    """The warnings of a log, each told once."""

    fact: ClassVar[str] = "logged-warnings"

    different: int
    """How many different ones there are."""
    count: int
    """How many lines warn."""
    seen: tuple[RepeatedLine, ...] = ()
    """The most frequent ones."""


@dataclass(frozen=True)
class LoggedNonfinite(Fact):
    """A number that a log writes as NaN or infinite."""

    fact: ClassVar[str] = "logged-nonfinite"

    name: str
    """What the log calls it."""
    line: int
    """The first line that has it so."""
    step: int | None = None
    """The step of that line."""
    epoch: float | None = None
    """Its epoch."""
    count: int = 1
    """How many lines have it so."""
    last_finite: float | None = None
    """The last finite value before."""
    stays: bool = False
    """Whether no finite value follows."""


@dataclass(frozen=True)
class TimeGap(Fact):
    """The longest silence in a log whose lines have a time."""

    fact: ClassVar[str] = "time-gap"

    seconds: float
    """How long it was."""
    after_line: int
    """The last line before it."""
    before_line: int
    """The first line after it."""
    usual: float
    """The median time between lines that have one, of those that were looked at."""
    at_end: bool = False
    """Whether almost nothing follows it."""
    share: float = 0.0
    """Its share of the time from the first line to the last."""


@dataclass(frozen=True)
class Restarts(Fact):
    """Places at which a log begins again: steps go back, and its first words are said again."""

    fact: ClassVar[str] = "restarts"

    lines: tuple[int, ...]
    """Where it begins again."""
    from_steps: tuple[int, ...] = ()
    """The last step before each."""
    to_steps: tuple[int, ...] = ()
    """The first step after each."""
    lost: int = 0
    """Steps that were made twice, taken together."""


@dataclass(frozen=True)
class RareLines(Fact):
    """The last unusual lines of a log, for when nothing else explains how it ended."""

    fact: ClassVar[str] = "rare-lines"

    lines: tuple[RepeatedLine, ...] = ()
    """Lines near the end whose like the log has hardly anywhere else."""


@dataclass(frozen=True)
class Whereabouts(Fact):
    """The processes and machines that a log names as its own."""

    fact: ClassVar[str] = "whereabouts"

    pids: tuple[int, ...] = ()
    """Numbers of processes, at most fifty."""
    hosts: tuple[str, ...] = ()
    """Names of machines, at most fifty."""
