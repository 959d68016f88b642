"""Which classes are taken for which in evaluation, where under other numbers the answers would be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Renumbered:
    """One class that answers give under another number."""

    label: int
    """Its number among the labels of evaluation."""
    answer: int
    """The number that answers give it, far more often than its own."""
    given: int
    """Samples of it."""
    right: int
    """Those of them that were answered by its own number."""
    moved: int
    """Those of them that were answered by the other number."""
    cycle: int = 0
    """Classes that take each other's numbers, in a ring, have this in common."""


@dataclass(frozen=True)
class Numbering:
    """The answers of one line that evaluates beside its labels, in the last evaluation."""

    function: str
    """The loss function."""
    where: Place | None
    """The line that calls it."""
    classes: int
    """How many classes there are."""
    samples: int
    """Samples of the evaluation."""
    right: float
    """The share of right answers, of what was counted."""
    renumbered: float
    """What it would be if the classes that move had the other numbers."""
    moved: tuple[Renumbered, ...]
    """The classes that answers give under another number, ring by ring, where chance does not make it so."""
    several: bool = False
    """Whether a sample may have several of them at once."""


@dataclass(frozen=True)
class ClassNumberings(Fact):
    """Where answers in evaluation would be right under other numbers of the classes."""

    fact: ClassVar[str] = "class-numberings"

    lines: tuple[Numbering, ...]
    """One entry for each line that evaluates and whose classes are counted, those with most samples first."""
