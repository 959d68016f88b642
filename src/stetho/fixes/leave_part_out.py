"""data/labels-noisy: leave the part of the data out whose labels agree with nothing, or rows that are contradicted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from stetho import tables
from stetho.checks.data import training_labels_wrong
from stetho.checks.data.part_labels_wrong import wrong
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import DataFiles, LabelPart, LabelParts, NoisyLabels
from stetho.files.noise import judged
from stetho.files.parts import files_of, rows_of
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import data_edit, removal

CURES = ("data/labels-noisy",)
DATA = True
# Rows that stay, where a program cannot do with a file that has none.
STAY = 8


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """Rows left out, the inputs beside them with them; then whole files; then all rows but a few: not every program
    takes a file without rows, or does without a file. Where no part stands out, the rows that are contradicted."""
    found = grounds.get(LabelParts)
    parts = [one for one in found.parts if wrong(one)] if found is not None else []
    for how in (_without_rows, _without_file, _without_most):
        edits: dict[str, Edit] = {}
        for one in parts:
            for file in files_of(one, grounds.facts):
                edits.update({edit.file: edit for edit in how(one, file, grounds.cwd) if edit.file not in edits})
        if edits:
            every = tuple(edits.values())
            yield Cure(every[0].why, every, where=every[0].where, kind="data", alters="held-out")
    if not parts:
        yield from _without_contradicted(grounds)


def _without_contradicted(grounds: Grounds) -> Iterator[Cure]:
    """Rows whose labels models of the other rows contradict, and the inputs beside them."""
    found, files = grounds.get(NoisyLabels), grounds.get(DataFiles)
    if found is None or files is None or not training_labels_wrong.wrong(found):
        return
    names = [one.file for one in files.files if one.read is not None]
    read = {name: table for name in names if (table := tables.read(Path(grounds.cwd, name))) is not None}
    for one, rows in judged(read, grounds.facts):
        if (one.file, one.column) != (found.file, found.column):
            continue
        told = f"{len(rows)} rows left out, whose labels models of the other rows contradict most"
        edits = []
        for name in (one.file, one.inputs) if one.inputs else (one.file,):
            dropped = read[name].dropped
            where = [Place(name, column=one.column or None, key=one.key or None) if name == one.file else Place(name)]
            path = os.path.join(grounds.cwd, name)
            edits.append(data_edit(path, dropped([int(row) for row in rows]), told, where) if dropped else None)
        kept = tuple(edit for edit in edits if edit is not None)
        if len(kept) == len(edits):
            # Fewer rows are learned by heart sooner, right or wrong: where a loss ends tells little of what they teach.
            yield Cure(told, kept, where=kept[0].where, kind="data", alters="cleaned")


def _without_rows(one: LabelPart, file: str, cwd: str) -> Sequence[Edit]:
    return _dropped(one, file, cwd, 0)


def _without_most(one: LabelPart, file: str, cwd: str) -> Sequence[Edit]:
    return _dropped(one, file, cwd, STAY)


def _dropped(one: LabelPart, file: str, cwd: str, stay: int) -> Sequence[Edit]:
    """Both files, or nothing: labels without their inputs belong to other rows."""
    table = tables.read(Path(cwd, file))
    rows = [int(row) for row in rows_of(table, one)][stay:] if table is not None else []
    if one.inputs and file != one.file:
        return ()
    beside = [one.inputs] if one.inputs else []
    edits = [edit for name in (file, *beside) if (edit := _less(one, name, rows, cwd)) is not None]
    return edits if rows and len(edits) == 1 + len(beside) else ()


def _less(one: LabelPart, file: str, rows: Sequence[int], cwd: str) -> Edit | None:
    path = os.path.join(cwd, file)
    table = tables.read(Path(path))
    if table is None or table.dropped is None:
        return None
    of = f" of {one.by} {one.part}" if one.by else ""
    told = f"{len(rows)} rows{of} left out, whose labels agree with nothing"
    return data_edit(path, table.dropped(rows), told, _places(one, file))


def _without_file(one: LabelPart, file: str, cwd: str) -> Sequence[Edit]:
    if one.by:
        return ()
    gone = [file, one.inputs] if one.inputs else [file]
    why = "left out, as its labels agree with nothing"
    edits = [removal(path, why, _places(one, name)) for name in gone if os.path.isfile(path := os.path.join(cwd, name))]
    return [edit for edit in edits if edit is not None] if None not in edits else ()


def _places(one: LabelPart, file: str) -> Sequence[Place]:
    return [Place(file, column=one.column or None, key=one.key or None) if file != one.inputs else Place(file)]
