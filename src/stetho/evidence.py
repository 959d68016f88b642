"""What a fact is: an observation with its source, numbered and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Kind: TypeAlias = Literal["probe", "reading", "observation", "experiment", "source"]


@dataclass(frozen=True)
class Place:
    """Where a person has to look: a line of code, a column, a config key or a sample."""

    file: str
    line: int | None = None
    column: int | str | None = None
    """Of a line of code by its number; of a table of data by its name."""
    key: str | None = None
    sample: str | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Source:
    """Where a piece of evidence was read: a file and line, a training step, or a command that was run."""

    file: str | None = None
    line: int | None = None
    step: int | None = None
    command: str | None = None


@dataclass(frozen=True)
class Evidence:
    """One fact as it was seen. `fact` names its type in `facts/`; `data` is that fact, encoded."""

    id: str
    kind: Kind
    summary: str
    source: Source = field(default_factory=Source)
    fact: str | None = None
    run: str | None = None
    data: Json = None
