"""data/stale-cache: take away what an earlier run has kept, so that this one makes it anew."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from stetho import tables
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import DataFile, DataFiles
from stetho.files.caches import in_use, kept_results
from stetho.fixes import Cure, Grounds
from stetho.tables.edit import removal

CURES = ("data/stale-cache",)
DATA = True


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """All of them at once: they were made alike."""
    files = grounds.get(DataFiles)
    kept = list(dict.fromkeys([*kept_results(files), *in_use(files)])) if files is not None else []
    edits = [edit for one in kept if (edit := _removed(one, grounds.cwd)) is not None]
    if edits and len(edits) == len(kept):
        yield Cure(f"remove {len(edits)} kept files", tuple(edits), where=edits[0].where, kind="data")


def _removed(one: DataFile, cwd: str) -> Edit | None:
    path = os.path.join(cwd, one.file)
    if not os.path.isfile(path):
        return None
    return removal(path, "made by an earlier run; removed, so that it is made anew", _places(one.file, Path(path)))


def _places(file: str, path: Path) -> Sequence[Place]:
    """The file, by the largest array in it where it holds arrays."""
    table = tables.read(path)
    keys = [column.key for column in table.columns if column.key] if table is not None else []
    return [Place(file, key=max(keys, key=keys.count) if keys else None)]
