"""Which points of a very long series are kept: all of a short one, an even share of a long one, always the same.

The place of a point times the golden ratio decides, so that what is kept lies evenly and follows no period of the log
(eight layers in turn, a row of every table), and so that what is kept of a longer series is part of what was kept of a
shorter one. The first point is always kept; the last one is added at the end. Of each stretch, the highest and the
lowest value of its first losses and gradients are kept, too: a spike of one line in a million is what somebody looks
for. Where values are not all written alike, each must be read for it, and this ends after 131,072 points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stetho.logged.roles import role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Floats, Whole

MOST = 1 << 16
_GOLDEN = 2654435769
_WRAP = 1 << 32
# Points of a stretch, of one in so many that are kept, and metrics whose extremes are.
STRETCH, EXTREMES_OF = 64, 2
# Points of a series up to which all values are read to find them, where they are not written so that their order is
# had without that.
READ_FOR_EXTREMES = 1 << 17


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


def telling(names: Sequence[bytes]) -> tuple[int, ...]:
    """Which of some metrics have extremes that matter: losses and gradients, of one name each."""
    kinds = [role(name.decode("utf-8", "backslashreplace")).kind if b"0" not in name else "other" for name in names]
    return tuple(at for at, kind in enumerate(kinds) if kind in ("loss", "gradient"))[:EXTREMES_OF]


def extreme(places: Whole, columns: Sequence[Floats | Whole], part: int) -> NDArray[np.bool_]:
    """Which points, in the order of their places, are the highest or lowest of their stretch in one of the columns."""
    import numpy as np

    found = np.zeros(len(places), np.bool_)
    if not len(places):
        return found
    stretch = places // (STRETCH * part)
    begins = np.flatnonzero(np.concatenate([[True], stretch[1:] != stretch[:-1]]))
    lengths = np.diff(np.append(begins, len(places)))
    number = np.repeat(np.arange(len(begins)), lengths)
    for column in columns:
        known = np.isfinite(column)
        for sign in (1, -1):
            signed = sign * column if known.all() else np.where(known, sign * column, -np.inf)
            top = np.flatnonzero(known & (signed == np.repeat(np.maximum.reduceat(signed, begins), lengths)))
            found[top[np.flatnonzero(np.diff(number[top], prepend=-1))]] = True
    return found
