"""What a reader is: an artifact's bytes turned into facts, recognised by content, trusting nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stetho.facts import Fact


@dataclass(frozen=True)
class Reading:
    """A fact and the line of the artifact that it was read from."""

    fact: Fact
    summary: str
    line: int | None = None


@dataclass(frozen=True)
class Reader:
    """A declared reader: lines in, readings out; `examples` maps a text to the facts it must give."""

    id: str
    gives: tuple[type[Fact], ...]
    function: Callable[[Iterator[str]], Iterator[Reading]]
    examples: Mapping[str, tuple[str, tuple[Fact, ...]]]
    doc: str


def reader(
    *, gives: tuple[type[Fact], ...], examples: Mapping[str, tuple[str, tuple[Fact, ...]]]
) -> Callable[[Callable[[Iterator[str]], Iterator[Reading]]], Reader]:
    """Declare a reader. Each example is a name, a text and the facts that must come out of it."""

    def declare(function: Callable[[Iterator[str]], Iterator[Reading]]) -> Reader:
        return Reader(
            id=function.__name__.replace("_", "-"),
            gives=gives,
            function=function,
            examples=examples,
            doc=re.sub(r"\n    ", "\n", function.__doc__ or "").strip(),
        )

    return declare
