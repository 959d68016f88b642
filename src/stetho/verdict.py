"""The verdict document: what `why` concludes, as the library's own dataclasses and as `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from stetho.evidence import Evidence, Json, Place

SCHEMA = "stetho.verdict/1"
Status: TypeAlias = Literal["established", "suspected", "unknown", "clear"]
Role: TypeAlias = Literal["likely", "subtle", "null", "other"]


@dataclass(frozen=True)
class Symptom:
    """What is seen to be wrong, before any cause is named."""

    id: str
    summary: str
    step: int | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Noted:
    """A check that fired, and the evidence it read."""

    check: str
    message: str
    where: tuple[Place, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """A cause as a hypothesis, with what speaks for and against it and what would refute it."""

    cause: str
    prior: float
    probability: float
    role: Role
    supports: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    reason: str = ""
    test: str = ""
    fix: str = ""


@dataclass(frozen=True)
class Claim:
    """A cause asserted, only ever made by the claim gate."""

    cause: str
    confidence: float
    statement: str
    cites: tuple[str, ...]
    where: tuple[Place, ...]
    mechanism: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remains:
    """What the run shows with the cures of the causes so far applied."""

    status: Status
    statement: str
    """In one sentence: that it is clear, which problem remains, or why it was not looked at."""
    cures: tuple[str, ...] = ()
    """What is applied, cause by cause."""
    symptoms: tuple[Symptom, ...] = ()
    evidence: tuple[str, ...] = ()
    next: tuple[NextTest, ...] = ()


@dataclass(frozen=True)
class Trial:
    """The final loss, or what else it is judged by, without and with the fix: same seed, same number of steps."""

    before: float | None
    after: float | None
    evidence: tuple[str, ...] = ()
    measure: str = "loss"


@dataclass(frozen=True)
class Fix:
    """A cure that was tried; exactly what was tried is what is offered."""

    summary: str
    kind: Literal["code", "config", "command", "data"]
    diff: str
    trial: Trial
    command: tuple[str, ...] | None = None


@dataclass(frozen=True)
class NextTest:
    """What to do next when nothing is established."""

    test: str
    splits: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Further(Claim):
    """A cause that is established beside the first one: claimed of the run with the cures of all before it applied."""

    fix: Fix | None = None
    """Its own cure, on top of those before it; None where none could be written and tried."""
    remains: Remains | None = None
    """What the run shows with its cure applied, too."""


@dataclass(frozen=True)
class Information:
    """Something that the symptoms make worth knowing: what is known of it, or what to ask and how to find out."""

    id: str
    short: str
    answer: str = ""
    """What is known; empty where nothing that was seen tells it."""
    evidence: tuple[str, ...] = ()
    asks: str = ""
    """The question as a person would be asked it."""
    otherwise: str = ""
    """How to find out."""
    symptoms: tuple[str, ...] = ()
    """The symptoms that make it worth asking."""


@dataclass(frozen=True)
class Tried:
    """An experiment as the verdict shows it."""

    id: str
    kind: str
    intervention: str
    question: str
    predicted: Mapping[str, Mapping[str, float]]
    outcome: str
    seconds: float
    evidence: tuple[str, ...]
    detail: str = ""
    reading: str = ""
    """What the outcome says about the leading causes, in words."""
    beside: tuple[str, ...] = ()
    """The causes whose cures were applied already."""


@dataclass(frozen=True)
class Suspicion:
    """A hypothesis that was brought, and what became of it."""

    cause: str
    verdict: Literal["supported", "refuted", "undecided"]
    probability: float
    supports: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    reason: str = ""
    """What decided it; what would, where nothing has."""


@dataclass(frozen=True)
class Parting:
    """One thing on the way from the environment to the losses, in the good run and in this one."""

    part: str
    state: str
    """same, differs or unknown."""
    summary: str = ""
    """The first difference, the good run's value first; for what is unknown, why."""
    step: int | None = None
    where: Place | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Located:
    """A difference that matters: what was changed into what, and where."""

    kind: str
    """code, config, data or command."""
    summary: str
    then: str
    now: str
    undo: str
    where: Place | None = None


@dataclass(frozen=True)
class Regression:
    """What became of the comparison with a run that was fine."""

    given: str
    """The good run by a name that lasts: a case's folder, a commit's id, or what was given."""
    kind: str
    """case, commit, folder, file or command."""
    good: str
    """The good run as it is told."""
    beside: str
    """How it does beside this one."""
    outcome: str
    """`isolated`, `narrowed`, or why nothing was: both-fail, neither-fails, good-fails, noise, elsewhere, not-tried."""
    statement: str
    cites: tuple[str, ...]
    first: Parting | None = None
    """The first thing that differs; it comes before all it causes."""
    path: tuple[Parting, ...] = ()
    commit: str = ""
    differences: tuple[Located, ...] = ()
    """The smallest part of what differs that brings the failure."""
    known: int = 0
    """Differences there are."""
    experiments: tuple[str, ...] = ()
    explains: str = ""
    """The claimed cause, where what shows it at work is gone with the difference undone."""


@dataclass(frozen=True)
class Cost:
    """What the investigation took."""

    seconds: float
    runs: int
    equivalents: float = 0.0
    """Steps of all runs over those of the first, unchanged one: what it would cost where a step is what costs."""


@dataclass(frozen=True)
class Verdict:
    """The whole answer: status, symptoms, ranked hypotheses, claim or none, and all evidence."""

    target: Mapping[str, Json]
    case: str
    status: Status
    symptoms: tuple[Symptom, ...] = ()
    findings: tuple[Noted, ...] = ()
    information: tuple[Information, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    claim: Claim | None = None
    not_claimed: str = ""
    """Why the leading cause is not claimed: the clause of the gate that it does not pass."""
    evidence: tuple[Evidence, ...] = ()
    experiments: tuple[Tried, ...] = ()
    fix: Fix | None = None
    next: tuple[NextTest, ...] = ()
    cost: Cost = field(default_factory=lambda: Cost(0.0, 0))
    notes: tuple[str, ...] = ()
    suspicion: Suspicion | None = None
    """What became of the hypothesis that was brought; None when none was."""
    regression: Regression | None = None
    """What became of the comparison with a run that was fine; None when none was named."""
    remains: Remains | None = None
    """What the run shows with the cure of the claim applied; None where it was not asked to go on (--all)."""
    also: tuple[Further, ...] = ()
    """Causes that are established of what remains, in the order in which they were found."""

    @property
    def exit_code(self) -> int:
        return {"clear": 0, "established": 1}.get(self.status, 3)
