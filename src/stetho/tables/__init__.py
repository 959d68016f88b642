"""Data files of the user's, read as tables without unpickling anything, and written again with a few cells changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stetho import edited
from stetho.tables import arrays, json_rows, separated
from stetho.tables.table import Column, Table

__all__ = ["LARGEST", "Column", "Table", "read"]

# Files that are larger are not looked into.
LARGEST = 48 * 1024**2
READERS: tuple[Callable[[Path, bytes], Table | None], ...] = (arrays.read, json_rows.read, separated.read)


def read(path: Path) -> Table | None:
    """The table that a file holds, told by its contents; None where it holds none, or is too large to look into."""
    try:
        if not path.is_file() or not 0 < path.stat().st_size <= LARGEST:
            return None
        content = edited.content(path)
        return next((table for one in READERS if (table := one(path, content)) is not None), None)
    except (OSError, ValueError, RecursionError, MemoryError, KeyError, IndexError):
        # What cannot be read is no table; the program itself says whether it should have been one.
        return None
