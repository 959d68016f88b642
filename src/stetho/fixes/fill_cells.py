"""data/nonfinite-values: give each cell without a finite number the median of its column, in the file itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from stetho import tables
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import BadCells
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/nonfinite-values",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """All of them at once: a program that fills some of them itself is not hurt by it."""
    bad = grounds.get(BadCells)
    files = dict.fromkeys(cell.file for cell in bad.cells) if bad is not None else {}
    edits = [edit for file in files if (edit := _filled(file, grounds.cwd)) is not None]
    if edits:
        cells = sum(len(edit.where) for edit in edits)
        yield Cure(f"fill {cells} cells", tuple(edits), where=edits[0].where, kind="data")


def _filled(file: str, cwd: str) -> Edit | None:
    import numpy as np

    table = tables.read(Path(cwd, file))
    if table is None:
        return None
    change: dict[str, dict[int, float]] = {}
    for column in table.columns:
        if column.numbers is not None and 0 < (bad := ~np.isfinite(column.numbers)).sum() < len(bad):
            middle = float(np.median(column.numbers[~bad]))
            change[column.name] = {int(row): middle for row in np.flatnonzero(bad)}
    keys = {column.name: column.key for column in table.columns}
    first = table.first_line
    lines = {row: None if first is None else first + row for rows in change.values() for row in rows}
    where = [Place(file, lines[row], name, keys[name], str(row)) for name, rows in change.items() for row in rows]
    told = f"row {where[0].sample} of {where[0].column}" if len(where) == 1 else f"{len(where)} cells"
    path = os.path.join(cwd, file)
    return data_edit(path, table.written(change), f"{told}: no finite number, now the column's median", where[:50])
