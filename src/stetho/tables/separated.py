"""Tables of separated values, as spreadsheets and programs write them."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from stetho.tables.table import Change, Column, Table

SEPARATORS = ",\t;|"
MISSING = ("", "na", "nan", "n/a", "null", "none", "inf", "-inf", "+inf", "infinity", "-infinity")
# Rows that are looked at to tell what separates, and most columns that are read.
LOOKED_AT, WIDEST = 20, 4096
# A word that comes so often again in its own column is no name of it.
AGAIN = 3


def read(path: Path, content: bytes) -> Table | None:
    """A table with a header, or of numbers only; None for any other text."""
    if b"\0" in content[:4096]:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    lines = text.splitlines()
    separator = _separator(lines[:LOOKED_AT])
    if separator is None or '"' in text[:65536]:
        # Quoted cells may hold lines of their own; these are left alone.
        return None
    rows = [row for row in csv.reader(lines, delimiter=separator)]
    wide = len(rows[0])
    header = [name.strip() for name in rows[0]]
    headed = any(not is_cell(name) for name in header) and not _is_row(rows)
    names = header if headed else [str(i) for i in range(wide)]
    body = rows[1:] if headed else rows
    if len(body) < 2 or wide > WIDEST or len(set(names)) != wide or any(len(row) != wide for row in body):
        return None
    first = 2 if headed else 1
    columns = tuple(_column(name, [row[k] for row in body]) for k, name in enumerate(names))

    def written(change: Change) -> bytes:
        kept = text.splitlines(keepends=True)
        for name, values in change.items():
            at = names.index(name)
            for row, value in values.items():
                line = kept[row + first - 1]
                bare = line.rstrip("\r\n")
                cells = bare.split(separator)
                cells[at] = _shown(value, columns[at].whole)
                kept[row + first - 1] = separator.join(cells) + line[len(bare) :]
        return "".join(kept).encode()

    def dropped(rows: Sequence[int]) -> bytes:
        gone = {row + first - 1 for row in rows}
        return "".join(line for at, line in enumerate(text.splitlines(keepends=True)) if at not in gone).encode()

    def arranged(order: Sequence[int]) -> bytes:
        bare = text.splitlines()
        end = "\r\n" if "\r\n" in text else "\n"
        return "".join(line + end for line in (*bare[: first - 1], *(bare[row + first - 1] for row in order))).encode()

    return Table(columns, len(body), written, dropped, arranged, first)


def _separator(lines: list[str]) -> str | None:
    """What separates: it is in every line as often as in the first."""
    filled = [line for line in lines if line.strip()]
    for one in SEPARATORS:
        counts = {line.count(one) for line in filled}
        if len(filled) > 2 and len(counts) == 1 and counts.pop() > 0:
            return one
    return None


def _is_row(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is one like the others: what stands in it comes again below, or is a number that names
    nothing."""
    for name, *below in zip(*rows, strict=False):
        word = name.strip()
        if "." in word and is_cell(word) and all(map(is_cell, below[:LOOKED_AT])):
            return True
        if word and sum(other.strip() == word for other in below) >= AGAIN:
            return True
    return False


def is_cell(text: str) -> bool:
    """Whether a cell holds a number, or is missing one."""
    text = text.strip().lower()
    if text in MISSING:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def number(text: str) -> float:
    """The number of a cell; NaN where it is missing."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _column(name: str, cells: list[str]) -> Column:
    import numpy as np

    # A few cells that are no numbers are missing ones; a column of words holds many.
    if not all(map(is_cell, cells)):
        return Column(name, None, None, cells)
    whole = all(cell.strip().lstrip("+-").isdigit() for cell in cells[:200])
    return Column(name, None, np.array([number(cell) for cell in cells]), whole=whole)


def _shown(value: float | str, whole: bool) -> str:
    if isinstance(value, str):
        return value
    return str(int(value)) if whole and value == int(value) else f"{value:.10g}"
