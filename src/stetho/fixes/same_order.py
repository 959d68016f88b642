"""data/labels-misaligned: bring the rows of one file into the order of another that names the same ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from stetho import tables
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import OtherOrder, RowOrders
from stetho.files.orders import spelled
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/labels-misaligned",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """For each pair of files, the second one in the order of the first."""
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
