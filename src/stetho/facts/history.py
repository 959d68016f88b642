"""What is left of earlier steps: graphs that are kept, and how much of a loss was computed before the last step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Holder:
    """A name of the program's that holds values of earlier steps together with their graphs."""

    name: str
    """The name."""
    where: Place | None = None
    """A line that adds to it, or the one that was running."""


@dataclass(frozen=True)
class KeptGraphs(Fact):
    """Graphs of earlier steps that were still there, on the steps looked at."""

    fact: ClassVar[str] = "kept-graphs"

    steps: tuple[int, ...]
    """The steps looked at."""
    nodes: tuple[int, ...]
    """The nodes of the graph behind the loss at each of them."""
    carried: tuple[int, ...]
    """Those of them that were made before the last step."""
    held: tuple[int, ...]
    """Of how many of the steps looked at before, at least two steps ago, the graph was still held."""
    marked: tuple[int, ...]
    """How many such steps there were."""
    resident: tuple[int, ...] = ()
    """The bytes of memory that the process held at each of the steps."""
    entered: tuple[Place, ...] = ()
    """The lines, innermost first, that brought a value of an earlier step into the graph."""
    holders: tuple[Holder, ...] = ()
    """The names that hold graphs of earlier steps."""


@dataclass(frozen=True)
class RefusedBackward(Fact):
    """A backward that raised an exception, and how old its graph was."""

    fact: ClassVar[str] = "refused-backward"

    step: int
    """The steps that had been taken."""
    nodes: int
    """The nodes of its graph."""
    carried: int
    """Those of them that were made before the last step."""
    entered: tuple[Place, ...] = ()
    """The lines, innermost first, that brought a value of an earlier step into the graph."""
