"""A number over the run, as an artifact has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Whole: TypeAlias = NDArray[np.int64]

Unit: TypeAlias = Literal["line", "row", "offset"]


@dataclass(frozen=True, eq=False)
class Series:
    """One number, point by point, in the order in which it was written; all arrays are of one length."""

    name: str
    """What the artifact calls it."""
    values: Floats
    file: str
    """The artifact it was read from, as the user knows it."""
    steps: Whole | None = None
    """The step of each point, as written; None where the artifact has none."""
    epochs: Floats | None = None
    """The epoch of each point, as written."""
    times: Floats | None = None
    """When each point was written, in seconds since 1970, or since the start where only that is known."""
    at: Whole | None = None
    """Where in the file each point stands."""
    unit: Unit = "line"
    """What `at` counts: lines and rows from 1, offsets in bytes from 0."""
    run: str = ""
    """The run that it belongs to, where one file holds several."""

    def __len__(self) -> int:
        return len(self.values)
