"""data/inputs-destroyed: give columns that are lost on their way to the model in larger or smaller units."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from stetho import tables
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import DataFiles, InputScale, LostColumn, LostColumns
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit

CURES = ("data/inputs-destroyed",)
DATA = True
# Units mostly differ by a thousand; ranges that were meant for something else by less.
FACTORS = (1000.0, 10.0)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """Smaller numbers where what enters the model is at its upper limit, larger ones where it is at the lower one."""
    lost, scale, files = grounds.get(LostColumns), grounds.get(InputScale), grounds.get(DataFiles)
    if lost is None or not lost.columns:
        return
    for factor in _factors(lost, scale):
        edits = [one for file in _files(lost, files) if (one := _scaled(file, lost.columns, factor, grounds.cwd))]
        if edits:
            names = ", ".join(one.column for one in lost.columns)
            told = f"{names} {'times' if factor > 1 else 'divided by'} {max(factor, 1 / factor):g}"
            yield Cure(told, tuple(edits), where=edits[0].where, kind="data")


def _factors(lost: LostColumns, scale: InputScale | None) -> Iterator[float]:
    held = [scale.features[k].mean for k in lost.features if k < len(scale.features)] if scale is not None else []
    top = scale is None or not held or any(value > (scale.low + scale.high) / 2 for value in held)
    bottom = scale is None or not held or any(value <= (scale.low + scale.high) / 2 for value in held)
    for factor in FACTORS:
        yield from (1 / factor,) * top
        yield from (factor,) * bottom


def _files(lost: LostColumns, files: DataFiles | None) -> list[str]:
    """The files that hold the columns, and those of the same kind: held-out data goes the same way."""
    own = list(dict.fromkeys(one.file for one in lost.columns))
    kinds = [one.columns for one in (files.files if files is not None else ()) if one.file in own]
    alike = [
        one.file for one in (files.files if files is not None else ()) if one.read is not None and one.columns in kinds
    ]
    return list(dict.fromkeys([*own, *alike]))


def _scaled(file: str, columns: Sequence[LostColumn], factor: float, cwd: str) -> Edit | None:
    path = os.path.join(cwd, file)
    table = tables.read(Path(path)) if os.path.isfile(path) else None
    change = {}
    for one in columns:
        column = table.column(one.column) if table is not None else None
        if column is not None and column.numbers is not None:
            change[one.column] = {row: float(value) * factor for row, value in enumerate(column.numbers)}
    if table is None or not change:
        return None
    told = f"{', '.join(change)} times {factor:g}, so that they do not all end at a limit: mend the range or the unit"
    places = [Place(file, None, one.column, one.key) for one in columns if one.column in change]
    return data_edit(path, table.written(change), told, places)
