"""What a reader is: an artifact turned into series and facts, recognised by content, trusting nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from stetho.facts import Fact

if TYPE_CHECKING:
    from stetho.artifact import Artifact
    from stetho.series import Series

Content: TypeAlias = "str | bytes | Mapping[str, str | bytes]"
"""What an example's artifact holds: a text, bytes, or the files of a folder by their paths."""


@dataclass(frozen=True)
class Reading:
    """A fact and the line of the artifact that it was read from."""

    fact: Fact
    summary: str
    line: int | None = None
    run: str = ""
    """The run that it belongs to, where one artifact holds several."""


@dataclass(frozen=True)
class Flaw:
    """What could not be read of an artifact that was recognised: cut off, damaged, or too large."""

    summary: str
    line: int | None = None
    offset: int | None = None


Piece: TypeAlias = "Series | Reading | Flaw"


@dataclass(frozen=True)
class Example:
    """An artifact, and what must come out of it."""

    content: Content
    series: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """The values of each series, by its name."""
    facts: tuple[Fact, ...] = ()
    """Compared where they differ from a fact's defaults."""
    flaws: int = 0
    name: str = "thing"
    """What the artifact is called; no reader but that of empty files may look at it."""


@dataclass(frozen=True)
class Reader:
    """A declared reader. Of those that recognise an artifact, the surest one reads it."""

    id: str
    gives: tuple[type[Fact], ...]
    recognises: Callable[[Artifact], float]
    """How sure it is that the artifact is its own, from 0 to 1, by content; it must cost next to nothing."""
    function: Callable[[Artifact], Iterator[Piece]]
    examples: Mapping[str, Example]
    doc: str


def reader(
    *,
    recognises: Callable[[Artifact], float],
    examples: Mapping[str, Example],
    gives: tuple[type[Fact], ...] = (),
) -> Callable[[Callable[[Artifact], Iterator[Piece]]], Reader]:
    """Declare a reader by its function."""

    def declare(function: Callable[[Artifact], Iterator[Piece]]) -> Reader:
        return Reader(
            id=function.__name__.replace("_", "-"),
            gives=gives,
            recognises=recognises,
            function=function,
            examples=examples,
            doc=re.sub(r"\n    ", "\n", function.__doc__ or "").strip(),
        )

    return declare
