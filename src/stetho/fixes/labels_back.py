"""data/labels-misaligned: move the labels of one part of the data back to the rows that they belong to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from stetho import tables
from stetho.checks.data.part_labels_shifted import shifted
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LabelPart, LabelParts
from stetho.files.parts import files_of, rearranged, rows_of
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/labels-misaligned",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """All parts that are moved at once; labels that fall off at one end come in again at the other."""
    found = grounds.get(LabelParts)
    moved = [one for one in found.parts if shifted(one)] if found is not None else []
    # Two parts of one file would be two edits of it; the clearer one is tried.
    edits = {}
    for one in moved:
        for file in files_of(one, grounds.facts):
            edit = _back(one, file, grounds.cwd) if file not in edits else None
            if edit is not None:
                edits[file] = edit
    if edits:
        every = tuple(edits.values())
        yield Cure(every[0].why, every, where=every[0].where, kind="data", alters="held-out")


def _back(one: LabelPart, file: str, cwd: str) -> Edit | None:
    import numpy as np

    path = os.path.join(cwd, file)
    table = tables.read(Path(path))
    column = table.column(one.column) if table is not None else None
    if table is None or column is None:
        return None
    rows = rows_of(table, one)
    held = column.numbers if column.numbers is not None else np.array(list(column.words or ()), dtype=object)
    values = rearranged(held[rows], one.shift, one.turned)
    change = {
        int(row): value if isinstance(value, str) else float(value) for row, value in zip(rows, values, strict=True)
    }
    how = "in the opposite order" if one.turned else f"moved {'down' if one.shift > 0 else 'up'} by {abs(one.shift)}"
    of = f"labels of {one.by} {one.part}" if one.by else "labels"
    where = [Place(file, column=one.column or None, key=one.key or None)]
    return data_edit(path, table.written({one.column: change}), f"{of} {how}, to the rows that they fit", where)
