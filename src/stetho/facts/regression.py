"""A run that was fine, beside the one that fails: where the two part, and the smallest difference that matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class GoodRun(Fact):
    """The run that was named as good, and how it does beside the one that fails."""

    fact: ClassVar[str] = "good-run"

    kind: str
    """What was named: case, commit, folder, file or command."""
    given: str
    """A name of it that lasts: a case's folder, a commit's id, or what was given."""
    label: str
    """The name as it is told."""
    outcome: str
    """What it does beside the failing run, in the words for outcomes of experiments."""
    detail: str
    """The same with its numbers."""
    differences: int
    """Files and options that differ, as far as that is known."""


@dataclass(frozen=True)
class PathPart:
    """One thing on the way from the environment to the losses, in both runs."""

    part: str
    """What it is."""
    state: str
    """same, differs, or unknown."""
    told: str = ""
    """The first difference, the good run's value first; for what is unknown, why."""
    step: int | None = None
    """The first step at which it differs."""
    where: Place | None = None
    """The line that it belongs to."""
    evidence: str = ""
    """The evidence of the difference."""


@dataclass(frozen=True)
class Divergence(Fact):
    """Where two runs part, along the way that data takes: the first part that differs comes before all it causes."""

    fact: ClassVar[str] = "divergence"

    parts: tuple[PathPart, ...]
    """In the order of the way."""

    @property
    def first(self) -> PathPart | None:
        return next((one for one in self.parts if one.state == "differs"), None)


@dataclass(frozen=True)
class LocatedDifference:
    """One difference that matters."""

    kind: str
    """What was changed: code, config, data or command."""
    told: str
    """It in a line: where, and what was changed into what."""
    then: str
    """What it was when it worked."""
    now: str
    """What it is."""
    undo: str
    """What to do to undo it."""
    where: Place | None = None
    """The line, in the file that fails."""


@dataclass(frozen=True)
class SmallestDifference(Fact):
    """What is left of the differences after all that was asked of them by experiment."""

    fact: ClassVar[str] = "smallest-difference"

    outcome: str
    """`isolated`: undoing it cures, and no smaller part of it was found that does. `narrowed`: it may be smaller, or
    does not cure by itself. Others say why nothing was narrowed: `both-fail`, `neither-fails`, `good-fails`, `noise`,
    `elsewhere`, `not-tried`."""
    told: str
    """The answer in one sentence."""
    commit: str = ""
    """The commit that it came with, where that is known."""
    differences: tuple[LocatedDifference, ...] = ()
    """The smallest part of the differences that was found."""
    experiments: tuple[str, ...] = ()
    """The experiments that narrowed it: the last ones decide."""
    cure: str = ""
    """The experiment in which it alone was undone, if that cured."""
    gone: tuple[str, ...] = ()
    """Checks that fired in the failing run and are quiet in that one."""
