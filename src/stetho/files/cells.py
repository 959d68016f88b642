"""Cells that hold no finite number, in tables whose columns otherwise do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stetho.facts import BadCell, BadCells
from stetho.measure.series import Measured, plural
from stetho.tables import Table

SHOWN = 20


def bad_cells(read: Mapping[str, Table]) -> Iterator[Measured]:
    """Every column with such cells, those with the fewest first: one cell is an accident, many are a habit."""
    found = sorted(_found(read), key=lambda cell: cell.count)
    looked_at = sum(bool(table.columns) for table in read.values())
    if not looked_at:
        return
    told = f"no cell without a finite number in {plural(looked_at, 'table')}"
    if found:
        first = found[0]
        told = f"{first.file}: {first.column} holds no finite number in row {first.row}"
        told += f"; {len(found)} columns have such cells" if len(found) > 1 else ""
    yield BadCells(tuple(found[:SHOWN]), looked_at), told


def _found(read: Mapping[str, Table]) -> Iterator[BadCell]:
    import numpy as np

    for file, table in read.items():
        for column in table.columns:
            if column.numbers is None:
                continue
            rows = np.flatnonzero(~np.isfinite(column.numbers))
            if 0 < len(rows) < len(column.numbers):
                first = int(rows[0])
                line = None if table.first_line is None else table.first_line + first
                yield BadCell(file, column.name, column.key, first, line, len(rows), table.rows)
