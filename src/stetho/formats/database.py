"""SQLite files that others wrote, opened so that they can neither be changed nor do anything but be read."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stetho.artifact import Artifact

MAGIC = b"SQLite format 3\x00"
SECONDS = 20.0
# A look that only asks which tables there are.
GLANCE = 1.0
LARGEST_COPY = 1 << 30
LONGEST_VALUE = 16 << 20
INSTRUCTIONS = 20_000
ALLOWED = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ))
TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"


@contextmanager
def opened(artifact: Artifact, seconds: float = SECONDS) -> Iterator[sqlite3.Connection]:
    """A connection that reads only, and not for longer than this."""
    beside = [Path(f"{artifact.path}{suffix}") for suffix in ("-wal", "-journal")]
    unwritten = [file for file in beside if file.is_file() and file.stat().st_size]
    if unwritten and artifact.size + sum(file.stat().st_size for file in unwritten) <= LARGEST_COPY:
        # What a writer that died has left beside the file belongs to it, and reading it would change the file.
        with tempfile.TemporaryDirectory(prefix="stetho-") as folder:
            copy = Path(folder, "copy")
            shutil.copyfile(artifact.path, copy)
            for file in unwritten:
                shutil.copyfile(file, f"{copy}{file.name[len(artifact.path.name) :]}")
            with _bounded(copy.as_uri() + "?mode=rw", seconds) as connection:
                yield connection
        return
    with _bounded(artifact.path.resolve().as_uri() + "?mode=ro&immutable=1", seconds) as connection:
        yield connection


@contextmanager
def _bounded(uri: str, seconds: float) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        deadline = time.monotonic() + seconds
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.set_progress_handler(lambda: time.monotonic() > deadline, INSTRUCTIONS)
        if hasattr(connection, "setlimit"):
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
            connection.execute(f"PRAGMA {pragma}")
        # A schema can hold views and computed columns, which are programs: none of them runs.
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY)
        yield connection
    finally:
        connection.close()


def tables(artifact: Artifact) -> dict[str, tuple[str, ...]]:
    """The plain tables of a file with their columns; none where it is no such file, or is too damaged to say."""
    if artifact.folder or not artifact.head.startswith(MAGIC):
        return {}
    try:
        with opened(artifact, GLANCE) as connection:
            return columns_of(connection)
    except (sqlite3.Error, OSError, ValueError):
        return {}


def columns_of(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, sql in connection.execute(TABLES).fetchmany(1000):
        if isinstance(name, str) and isinstance(sql, str) and sql.upper().startswith("CREATE TABLE"):
            quoted = name.replace('"', '""')
            cursor = connection.execute(f'SELECT * FROM "{quoted}" LIMIT 0')
            found[name] = tuple(column[0] for column in cursor.description)
    return found


def rows(
    connection: sqlite3.Connection,
    known: dict[str, tuple[str, ...]],
    table: str,
    columns: tuple[str, ...],
    most: int,
) -> Iterator[tuple[object, ...]]:
    """The rows of a table, at most so many, each with its number before it, and None for columns that there are not."""
    if table not in known:
        return
    chosen = ", ".join(f'"{column}"' if column in known[table] else "NULL" for column in columns)
    for _, row in zip(range(most), connection.execute(f'SELECT rowid, {chosen} FROM "{table}"'), strict=False):
        yield row


def reason(error: Exception) -> str:
    """Why reading ended, in words."""
    if isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error):
        return f"reading took more than {SECONDS:g} seconds; what came before is kept"
    return f"damaged, or not to be read: {error}"
