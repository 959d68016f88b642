"""What an experiment is: a question, one change, a bound, and an outcome that may be evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from stetho.evidence import Place

ExperimentOutcome: TypeAlias = Literal[
    "symptom-gone", "better", "same", "worse", "new-failure", "not-applied", "undecided"
]
# Outcomes that say nothing of the run.
NO_EVIDENCE = ("not-applied", "undecided")
HELPED = ("symptom-gone", "better")
ExecutorName: TypeAlias = Literal["local", "ray", "slurm"]
ExperimentKind: TypeAlias = Literal["smoke", "control", "trial fix"]


@dataclass(frozen=True)
class Edit:
    """One text change to one file of the user's, or to the command; what a trial fix applies."""

    file: str
    before: str
    after: str
    line: int
    why: str
    where: tuple[Place, ...] = ()
    """Of a file of data: the columns, keys or samples that are changed."""
    removed: bool = False
    """Whether the file is taken away, so that the program makes it anew."""


@dataclass(frozen=True)
class Change:
    """The one thing an experiment alters: a named intervention with its value, or edits to code or command."""

    name: str
    value: str = ""
    edits: tuple[Edit, ...] = ()
    command: tuple[str, ...] | None = None
    """The whole changed command, when the change is an argument."""
    group: str = ""
    """Variants of one group tell the same story; of them, one counts."""
    stands_for: str = ""
    """The root of the control that a fix does by other means: the two are one observation."""

    @property
    def root(self) -> str:
        return self.stands_for or (f"{self.name} {self.group}" if self.group else self.name)

    @property
    def label(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True)
class Experiment:
    """An experiment that was run. `predicted` is what each cause said would happen, before it ran."""

    id: str
    kind: ExperimentKind
    change: Change
    question: str
    predicted: Mapping[str, Mapping[str, float]]
    outcome: ExperimentOutcome
    detail: str
    seconds: float
    steps: int
    before: float | None = None
    after: float | None = None
    evidence: tuple[str, ...] = ()
    tests: str | None = None
    """The cause whose cure a trial fix tries."""
    supplies: str | None = None
    """The check that a closer look supplies with its fact; such a look changes nothing."""
    measure: str = "loss"
    """What `before` and `after` are."""
    base: str = "base"
    """The run that it was made on: the first one, or one with the cures of other causes applied."""


@dataclass(frozen=True)
class Carried:
    """The cures of causes that are established, which stay applied while the rest of the run is looked into."""

    causes: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    """Each cure in words."""
    edits: tuple[Edit, ...] = ()
    """One for each file, from the user's text to the one with all cures in it."""
    command: tuple[str, ...] | None = None
    changes: tuple[tuple[str, str, str], ...] = ()
    """Cures that no edit was written for: as changes at run time."""
    by_change: tuple[str, ...] = ()
    """The causes among them that are cured at run time only."""


@dataclass(frozen=True)
class Bound:
    """How far a run may go: optimizer steps, seconds and bytes of memory, whichever comes first."""

    seconds: float
    steps: int | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Limits:
    """What the user allows any single run; None leaves it to the investigation."""

    seconds: float | None = None
    steps: int | None = None
    memory: int | None = None
    """Bytes."""

    def within(self, bound: Bound) -> Bound:
        """The bound, nowhere wider than the limits."""
        seconds = bound.seconds if self.seconds is None else min(bound.seconds, self.seconds)
        steps = min((n for n in (bound.steps, self.steps) if n is not None), default=None)
        memory = min((n for n in (bound.memory, self.memory) if n is not None), default=None)
        return Bound(seconds, steps, memory)


@dataclass(frozen=True)
class Isolation:
    """What a run may reach although it is only an experiment; nothing, unless the user allows it."""

    network: bool = False
    writes: tuple[str, ...] = ()
    """Directories that it may really write to."""
    copy: bool = False
    """Run in a copy of the project, also where an overlay could be had."""


@dataclass(frozen=True)
class Job:
    """One run of a command, in words that any executor understands."""

    command: tuple[str, ...]
    cwd: str
    seed: int | None
    bound: Bound
    changes: tuple[tuple[str, str, str], ...] = ()
    """For each in-process change: its id, its value and the file that makes it."""
    edits: tuple[Edit, ...] = ()
    trace: tuple[tuple[int, int], ...] = ()
    """Windows of steps to look at closely."""
    stdin: Path | None = None
    isolation: Isolation = field(default_factory=Isolation)
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that differ from those of whoever asks."""


@dataclass(frozen=True)
class Plan:
    """What the observer is told before a run: the change, the bound and which steps to look at closely."""

    recording: str
    seed: int | None
    """For what the program leaves unseeded; None leaves it so."""
    steps: int | None = None
    changes: tuple[tuple[str, str, str], ...] = ()
    """For each in-process change: its id, its value and the file that makes it."""
    trace: tuple[tuple[int, int], ...] = ()
    """Windows of steps, first and past-the-last, in which every value and gradient is checked as it is made."""
    ring: Mapping[str, object] | None = None
    """Where a real run keeps its recent state, and within which bounds; None keeps none."""
    moved: tuple[tuple[str, str], ...] = ()
    """For a run in a copy: each folder of the copy, and the original that modules may have been installed from."""
    seconds: float | None = None
    """After how long it will be stopped; shortly before, each process leaves the stacks of its threads."""
    observer: str = str(Path(__file__).parent / "observer")
    """The folder of the observer that belongs to this plan, for the hook, which knows of no installation."""
