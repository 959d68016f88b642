"""data/labels-misaligned: bring rows into the order of a file that names the same ones, or labels to their rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from stetho import tables
from stetho.checks.data.part_labels_shifted import shifted, stretch_of
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LabelPart, LabelParts, OtherOrder, RowOrders
from stetho.files.orders import spelled
from stetho.files.parts import files_of, rearranged, rows_of
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/labels-misaligned",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """Labels of parts that are shifted, moved back; then of each two files, the second in the order of the first."""
    yield from _moved_back(grounds)
    found = grounds.get(RowOrders)
    for one in found.pairs if found is not None else ():
        edit = _arranged(one, grounds.cwd)
        if edit is not None:
            yield Cure(edit.why, (edit,), where=edit.where, kind="data")


def _arranged(one: OtherOrder, cwd: str) -> Edit | None:
    path = os.path.join(cwd, one.other)
    table, first = tables.read(Path(path)), tables.read(Path(cwd, one.file))
    column = table.column(one.other_column) if table is not None else None
    wanted = first.column(one.column) if first is not None else None
    if table is None or table.arranged is None or column is None or wanted is None:
        return None
    at = {name: row for row, name in enumerate(spelled(column))}
    order = [at[name] for name in spelled(wanted) if name in at]
    if len(order) != table.rows:
        return None
    told = f"rows in the order of {one.file}, by {one.other_column}"
    return data_edit(path, table.arranged(order), told, [Place(one.other, column=one.other_column)])


def _moved_back(grounds: Grounds) -> Iterator[Cure]:
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
    values = rearranged(held[rows], one.shift, one.turned)[one.first : one.last or None]
    rows = rows[one.first : one.last or None]
    change = {
        int(row): value if isinstance(value, str) else float(value) for row, value in zip(rows, values, strict=True)
    }
    how = "in the opposite order" if one.turned else f"moved {'down' if one.shift > 0 else 'up'} by {abs(one.shift)}"
    of = f"labels of {one.by} {one.part}" if one.by else f"labels{stretch_of(one)}"
    where = [Place(file, column=one.column or None, key=one.key or None)]
    return data_edit(path, table.written({one.column: change}), f"{of} {how}, to the rows that they fit", where)
