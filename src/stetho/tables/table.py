"""What a table is: named columns of numbers or words, one row to a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Change = Mapping[str, Mapping[int, float | str]]
"""For columns by name: the rows to change, and their new values."""


@dataclass(frozen=True)
class Column:
    """One column: of a table of text, or of an array of numbers."""

    name: str
    """The header's word, the key, or `x[:, 3]` for a column of an array."""
    key: str | None
    """The key or array that it is a part of, where it is one of several."""
    numbers: NDArray[np.float64] | None
    """Its values where they are numbers; NaN for a cell that is missing."""
    words: Sequence[str] | None = None
    """Its values where they are words."""
    whole: bool = False
    """Whether the file keeps them as whole numbers."""

    def __len__(self) -> int:
        return len(self.numbers if self.numbers is not None else self.words or ())


@dataclass(frozen=True)
class Table:
    """A file as columns of one length, and how it is written again with some of its values changed."""

    columns: tuple[Column, ...]
    rows: int
    written: Callable[[Change], bytes]
    """The file with these values changed, everything else as it was."""
    dropped: Callable[[Sequence[int]], bytes] | None = None
    """The file without these rows; None where it cannot be had."""
    arranged: Callable[[Sequence[int]], bytes] | None = None
    """The file with its rows in this order; None where it cannot be had."""
    first_line: int | None = None
    """The line of the first row, where rows are lines."""
    loose: Mapping[str, Any] = field(default_factory=dict)
    """What else is in it: numbers and lists that have no row for each sample."""
    arrays: Mapping[str, Any] = field(default_factory=dict)
    """The arrays behind the columns, with a row for each sample, those among them that are too wide for columns."""

    def column(self, name: str) -> Column | None:
        return next((one for one in self.columns if one.name == name), None)
