"""What is in the files that a run opened: facts read from the files themselves, after the run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from stetho import tables
from stetho.facts import DataFile, DataFiles, Fact
from stetho.files import caches
from stetho.files.again import shared_rows
from stetho.files.cells import bad_cells
from stetho.files.groups import grouped_rows
from stetho.files.leaks import leaking_columns
from stetho.files.lost import lost_columns
from stetho.files.noise import noisy_labels
from stetho.files.orders import row_orders
from stetho.files.parts import label_parts
from stetho.measure.series import Measured, plural
from stetho.recording import Recording
from stetho.setting import project_files
from stetho.tables import Table

# Files that are looked at, bytes of them all together, and the seconds that it may take.
MOST, BYTES, SECONDS = 64, 192 * 1024**2, 8.0
SHOWN_COLUMNS = 64
NOT_DATA = (".py", ".pyc", ".so", ".sh", ".log", ".md")

Facts = Mapping[type[Fact], Fact]


def facts(recording: Recording, cwd: str, known: Facts) -> Iterator[Measured]:
    """The files that a run opened, and what is in those that are tables; `known` is what the run itself showed."""
    opened = list(opened_files(recording))
    if not opened:
        return
    read = dict(read_tables([one for one in opened if one.read is not None], cwd))
    # What was read and is gone by now was made for the moment.
    there = [one for one in opened if one.written or Path(cwd, one.file).exists()]
    made = tuple(caches.endings(sorted(f for f in project_files(cwd) if f.endswith(".py"))))
    described = tuple(_described(one, cwd, read.get(one.file), made) for one in there)
    if described:
        yield DataFiles(described), _told(described)
    yield from bad_cells(read)
    yield from leaking_columns(read, known)
    yield from shared_rows(read)
    yield from row_orders(read)
    yield from label_parts(read, known)
    yield from grouped_rows(read, known)
    yield from lost_columns(read, known)
    yield from noisy_labels(read, known)


def opened(recording: Recording) -> Iterator[Measured]:
    """The files that a changed run opened, without a look into them: the run may have had others in their place."""
    found = tuple(opened_files(recording))
    if found:
        yield DataFiles(found), _told(found)


def opened_files(recording: Recording) -> Iterator[DataFile]:
    """The files that the run read, in the order in which it first did, then those that it only wrote."""
    read, written = {}, {}
    for one in (recording, *recording.ranks.values()):
        for body in one.of("opened"):
            read.update({str(file): int(step) for file, step in body.get("read") or () if file not in read})
            written.update({str(file): int(step) for file, step in body.get("written") or () if file not in written})
        if not one.of("opened"):
            # Recordings of an older observer know only what was read, in no order.
            read.update({str(f): 0 for body in one.of("sources") for f in body["files"] if Path(f).suffix})
    ours = [file for file in read if _is_data(file)]
    for place, file in enumerate(ours):
        yield DataFile(file, place, file in written, read[file])
    yield from (DataFile(f, None, True, step) for f, step in written.items() if _is_data(f) and f not in read)


def _is_data(file: str) -> bool:
    installed = "site-packages" in file or "dist-packages" in file
    return not installed and not file.endswith(NOT_DATA) and not file.startswith(("/usr/", "/etc/"))


def read_tables(files: list[DataFile], cwd: str) -> Iterator[tuple[str, Table]]:
    """The tables among the files, as far as time and memory allow."""
    left, until = BYTES, time.monotonic() + SECONDS
    for one in files[:MOST]:
        path = Path(cwd, one.file)
        size = path.stat().st_size if path.is_file() else 0
        if not 0 < size <= left or time.monotonic() > until:
            continue
        table = tables.read(path)
        if table is not None:
            left -= size
            yield one.file, table


def _described(one: DataFile, cwd: str, table: Table | None, made: tuple[str, ...]) -> DataFile:
    path = Path(cwd, one.file)
    state = path.stat() if path.is_file() else None
    return DataFile(
        one.file,
        one.read,
        one.written,
        one.step,
        state.st_size if state is not None else None,
        state.st_mtime if state is not None else None,
        table.rows if table is not None else None,
        tuple(column.name for column in table.columns[:SHOWN_COLUMNS]) if table is not None else (),
        one.file.endswith(made) if made else False,
    )


def _told(files: tuple[DataFile, ...]) -> str:
    read = [one.file for one in files if one.read is not None]
    made = [one.file for one in files if one.written]
    shown = ", ".join(read[:4]) + (f" and {len(read) - 4} more" if len(read) > 4 else "")
    told = f"{plural(len(read), 'file')} of data read: {shown}" if read else "no file of data read"
    return told + (f"; {len(made)} written, {made[0]} first" if made else "")
