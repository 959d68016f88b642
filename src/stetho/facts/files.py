"""Files of data: which of them the run opened, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class DataFile:
    """One file that the run opened, code aside."""

    file: str
    """Its path, from the working directory where it lies below that."""
    read: int | None = None
    """Its place in the order in which files were first opened for reading; None when it was not."""
    written: bool = False
    """Whether the run opened it for writing."""
    step: int = 0
    """The step before which it was first opened."""
    size: int | None = None
    """Bytes, as it lies there after the run; None when it is not there."""
    modified: float | None = None
    """When it was last changed, in seconds since 1970."""
    rows: int | None = None
    """Rows, where it is a table."""
    columns: tuple[str, ...] = ()
    """Its columns, at most sixty-four."""


@dataclass(frozen=True)
class DataFiles(Fact):
    """The files that the run read and wrote, code and libraries aside."""

    fact: ClassVar[str] = "data-files"

    files: tuple[DataFile, ...]
    """The files, in the order of their reading; those that were only written come last."""


@dataclass(frozen=True)
class BadCell:
    """A column of a file in which a number is missing or not finite."""

    file: str
    """The file."""
    column: str
    """The column by its name."""
    key: str | None
    """The key or array that it belongs to, where it is one of several."""
    row: int
    """The first such row, counted from 0."""
    line: int | None
    """Its line in the file, where rows are lines."""
    count: int
    """Such cells in this column."""
    rows: int
    """All rows."""


@dataclass(frozen=True)
class BadCells(Fact):
    """Cells without a finite number in the tables that the run read."""

    fact: ClassVar[str] = "bad-cells"

    cells: tuple[BadCell, ...]
    """The columns that have such cells, those with the fewest first, at most twenty."""
    looked_at: int
    """Tables that were looked at."""
