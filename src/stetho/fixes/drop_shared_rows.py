"""data/split-leakage: take rows that two files share out of the larger one, or out of one that has them twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from stetho import tables
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import RowsAgain, SharedRows
from stetho.files.again import repeats, row_keys
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/split-leakage",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """Files that share rows with others first, each by itself; then those that repeat their own."""
    found = grounds.get(SharedRows)
    pairs = found.pairs if found is not None else ()
    for one in sorted(pairs, key=lambda one: (one.file == one.other, -one.share)):
        edit = _apart(one, grounds.cwd)
        if edit is not None:
            yield Cure(edit.why, (edit,), where=edit.where, kind="data")


def _apart(one: RowsAgain, cwd: str) -> Edit | None:
    path = os.path.join(cwd, one.file)
    table, other = tables.read(Path(path)), tables.read(Path(cwd, one.other))
    if table is None or other is None or table.dropped is None:
        return None
    mine = row_keys(table)
    inside = set(row_keys(other))
    rows = repeats(mine) if one.file == one.other else [at for at, key in enumerate(mine) if key in inside]
    if not 0 < len(rows) < len(mine):
        return None
    told = f"{len(rows)} rows that are also in {one.other} left out"
    return data_edit(path, table.dropped(rows), told, [Place(one.file, sample=str(rows[0]))])
