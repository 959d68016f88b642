"""Which points of a very long series are kept: all of a short one, an even share of a long one, always the same.

The place of a point times the golden ratio decides, so that what is kept lies evenly and follows no period of the log
(eight layers in turn, a row of every table), and so that what is kept of a longer series is part of what was kept of a
shorter one. The first point is always kept; the last one is added at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Whole

MOST = 1 << 16
_GOLDEN = 2654435769
_WRAP = 1 << 32


def limit(number: int, many: bool) -> int:
    """How many points a stream may keep: less where there are many, as of ranks, of a table's rows, or of names."""
    return max(1, MOST >> 5 if number >= 48 else MOST >> 3 if many else MOST)


def share(count: int, most: int = MOST) -> int:
    """One of how many points is kept when there are so many: 1, 2, 4, …"""
    part = 1
    while count > most * part:
        part *= 2
    return part


def kept(places: Whole, part: int) -> NDArray[np.bool_]:
    """Which of the points at these places, counted from 0, are kept."""
    return (places * _GOLDEN) % _WRAP < _WRAP // part


def is_kept(place: int, part: int) -> bool:
    return (place * _GOLDEN) % _WRAP < _WRAP // part
