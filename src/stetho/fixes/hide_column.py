"""data/target-leakage: shuffle the column that gives the label away, in every file that has it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from stetho import tables
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import GivenAway, LeakingColumns
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/target-leakage",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """Shuffled and not emptied: what divides by the spread of a column still can."""
    found = grounds.get(LeakingColumns)
    edits = [
        e for one in (found.columns if found is not None else ()) if (e := _shuffled(one, grounds.cwd)) is not None
    ]
    if found is not None and edits and len(edits) == len(found.columns):
        told = f"leave out {found.columns[0].column}"
        yield Cure(told, tuple(edits), where=edits[0].where, kind="data")


def _shuffled(one: GivenAway, cwd: str) -> Edit | None:
    import numpy as np

    path = os.path.join(cwd, one.file)
    table = tables.read(Path(path))
    column = table.column(one.column) if table is not None else None
    if table is None or column is None or column.numbers is None:
        return None
    mixed = np.random.default_rng(0).permutation(column.numbers)
    changed = table.written({one.column: {row: float(value) for row, value in enumerate(mixed)}})
    told = f"{one.column} gives {one.label} away; shuffled here, so that it tells nothing: leave it out"
    return data_edit(path, changed, told, [Place(one.file, None, one.column, one.key)])
