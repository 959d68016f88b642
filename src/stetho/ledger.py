"""The append-only record of one case, in SQLite: what was once acknowledged is there to stay, unchanged."""

from __future__ import annotations

import difflib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from stetho import codec
from stetho.errors import LedgerError, UnknownName
from stetho.evidence import Evidence, Json, Kind, Source
from stetho.experiment import Experiment
from stetho.facts import FACTS, Fact
from stetho.verdict import Verdict

if TYPE_CHECKING:
    from stetho.case import Request

T = TypeVar("T")
EntryType: TypeAlias = Literal["request", "evidence", "experiment", "verdict", "note"]

LETTERS: dict[EntryType, str] = {
    "request": "R",
    "evidence": "E",
    "experiment": "X",
    "verdict": "V",
    "note": "N",
}
COLUMNS = {"seq", "type", "id", "body", "at"}
BUSY_SECONDS = 30.0

# Each element takes the schema one version further; the number of them is the version this stetho writes.
# The insert trigger is there for INSERT OR REPLACE, which deletes a row without firing the delete trigger.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE IF NOT EXISTS entry (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            type TEXT NOT NULL,
            id TEXT NOT NULL,
            body TEXT NOT NULL,
            at REAL NOT NULL,
            UNIQUE (type, id)
        )""",
        """CREATE TRIGGER IF NOT EXISTS entry_no_update BEFORE UPDATE ON entry
            BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: no entry is changed'); END""",
        """CREATE TRIGGER IF NOT EXISTS entry_no_delete BEFORE DELETE ON entry
            BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: no entry is deleted'); END""",
        """CREATE TRIGGER IF NOT EXISTS entry_no_replace BEFORE INSERT ON entry
            WHEN EXISTS (SELECT 1 FROM entry WHERE seq = NEW.seq OR (type = NEW.type AND id = NEW.id))
            BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: this entry exists already'); END""",
    ),
)


class Ledger:
    """One case's records. Every `add_…` returns after the commit, so what it returned survives a kill."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._db = db
        self._lock = threading.RLock()

    @classmethod
    def create(cls, path: Path) -> Ledger:
        """A new, empty ledger; a file that exists already is never taken over."""
        path = path.absolute()
        with _told(path):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
            return cls(_prepared(_connect(path, "rw"), path, read_only=False), path)

    @classmethod
    def open(cls, path: Path, read_only: bool = False) -> Ledger:
        """The ledger in that file, its schema brought up to date; another program's file is left alone."""
        path = path.absolute()
        if not os.path.isfile(path):
            raise LedgerError(f"there is no ledger at {path}")
        with _told(path):
            if path.stat().st_size == 0:
                raise LedgerError(f"the ledger {path} is empty")
            db = _connect_read_only(path) if read_only else _connect(path, "rw")
            return cls(_prepared(db, path, read_only), path)

    def close(self) -> None:
        """Give the file back; closing twice is fine."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add_evidence(
        self,
        kind: Kind,
        summary: str,
        *,
        source: Source = Source(),  # noqa: B008 (frozen)
        fact: Fact | None = None,
        run: str | None = None,
        data: Json = None,
    ) -> Evidence:
        """Record one fact under the next free id; a `fact` brings its own name and data."""
        name = None if fact is None else fact.fact
        kept = self._encoded(data if fact is None else fact)
        with self._writing():
            evidence = Evidence(self._next_id("evidence"), kind, summary, source, name, run, kept)
            self._insert("evidence", evidence.id, evidence)
        return evidence

    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence, in the order in which it was recorded."""
        return tuple(self._decoded(Evidence, id, body) for id, body in self._entries("evidence"))

    def get_evidence(self, id: str) -> Evidence:
        """The one record with this id."""
        entries = dict(self._entries("evidence"))
        if id not in entries:
            raise UnknownName("evidence", id, difflib.get_close_matches(id, entries))
        return self._decoded(Evidence, id, entries[id])

    def next_experiment_id(self) -> str:
        """The id for an experiment to come; it stays free until that experiment is added."""
        with self._reading():
            return self._next_id("experiment")

    def add_experiment(self, experiment: Experiment) -> None:
        """Record an experiment that was run, under the id it carries."""
        with self._writing():
            self._insert("experiment", experiment.id, experiment)

    def experiments(self) -> tuple[Experiment, ...]:
        """All experiments, in the order in which they were recorded."""
        return tuple(self._decoded(Experiment, id, body) for id, body in self._entries("experiment"))

    def add_verdict(self, verdict: Verdict) -> None:
        """Record a verdict; earlier ones stay, and the newest counts."""
        self._append("verdict", verdict)

    def verdict(self) -> Verdict | None:
        """The newest verdict, or None while the case is unfinished."""
        return self._newest(Verdict, "verdict")

    def add_note(self, text: str) -> None:
        """Record a remark that is no evidence, such as what could not be done."""
        self._append("note", text)

    def notes(self) -> tuple[str, ...]:
        """All remarks, in the order in which they were recorded."""
        return tuple(self._decoded(str, id, body) for id, body in self._entries("note"))

    def add_request(self, request: Request) -> None:
        """Record what the user asked for, so that the case can be resumed."""
        self._append("request", request)

    def request(self) -> Request | None:
        """The newest request, or None when the case never got one."""
        from stetho.case import Request  # case.py opens ledgers, so it is imported late

        return self._newest(Request, "request")

    def _append(self, type: EntryType, value: object) -> None:
        with self._writing():
            self._insert(type, self._next_id(type), value)

    def _insert(self, type: EntryType, id: str, value: object) -> None:
        try:
            body = json.dumps(self._encoded(value), ensure_ascii=True, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise LedgerError(f"the ledger {self.path} cannot keep this {type}: {error}") from error
        row = (type, id, body, time.time())
        self._db.execute("INSERT INTO entry (type, id, body, at) VALUES (?, ?, ?, ?)", row)

    def _next_id(self, type: EntryType) -> str:
        query = "SELECT COALESCE(MAX(CAST(SUBSTR(id, 2) AS INTEGER)), 0) + 1 FROM entry WHERE type = ?"
        return f"{LETTERS[type]}{self._db.execute(query, (type,)).fetchone()[0]}"

    def _entries(self, type: EntryType) -> list[tuple[str, str]]:
        with self._reading():
            return self._db.execute("SELECT id, body FROM entry WHERE type = ? ORDER BY seq", (type,)).fetchall()

    def _newest(self, cls: type[T], type: EntryType) -> T | None:
        entries = self._entries(type)
        return self._decoded(cls, *entries[-1]) if entries else None

    def _encoded(self, value: object) -> Json:
        try:
            return codec.encode(value)
        except (TypeError, RecursionError) as error:
            raise LedgerError(f"the ledger {self.path} cannot keep this value: {error}") from error

    def _decoded(self, cls: type[T], id: str, body: str) -> T:
        try:
            return codec.decode(cls, json.loads(body))
        except (TypeError, ValueError, RecursionError) as error:
            raise LedgerError(f"the ledger {self.path} has an entry {id} that cannot be read: {error}") from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock, _told(self.path):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, _told(self.path), _transaction(self._db):
            yield


def fact_of(evidence: Evidence) -> Fact | None:
    """The fact that this evidence holds, or None when its name or its data are not known here."""
    cls = FACTS.get(evidence.fact or "")
    if cls is None:
        return None
    try:
        return codec.decode(cls, evidence.data)
    except (TypeError, ValueError):
        return None


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system say into one line that names the file."""
    try:
        yield
    except FileExistsError as error:
        raise LedgerError(f"there is a ledger at {path} already") from error
    except (sqlite3.Error, OSError, UnicodeError) as error:
        raise LedgerError(f"the ledger {path} cannot be used: {error}") from error


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and one writer at a time from the first read on, so that no id is given twice."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # Ledger has its own lock
    )


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Read beside a writer; where no lock file can be made there is no writer, and the file alone is read."""
    db = _connect(path, "ro")
    try:
        db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        db.close()
        journal = path.with_name(f"{path.name}-wal")
        if journal.exists() and journal.stat().st_size:
            raise
        return _connect(path, "ro&immutable=1")
    return db


def _prepared(db: sqlite3.Connection, path: Path, read_only: bool) -> sqlite3.Connection:
    """The connection, checked before anything is written and then brought up to date."""
    try:
        version = _known_version(db, path)
        if not read_only:
            db.execute("PRAGMA journal_mode = WAL").fetchone()
            db.execute("PRAGMA synchronous = FULL")
        elif version < len(MIGRATIONS):
            db = _copied(db)
        if version < len(MIGRATIONS):
            _migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def _known_version(db: sqlite3.Connection, path: Path) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    tables = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    columns = {row[1] for row in db.execute("PRAGMA table_info(entry)")}
    if (tables or version) and not columns >= COLUMNS:
        raise LedgerError(f"{path} is a database, but not a stetho ledger")
    if version > len(MIGRATIONS):
        raise LedgerError(
            f"the ledger {path} was written by a newer stetho "
            f"(schema {version}, this one knows {len(MIGRATIONS)}): upgrade stetho to read it"
        )
    return version


def _copied(db: sqlite3.Connection) -> sqlite3.Connection:
    """The same records in memory, where an old schema can be brought up to date without touching the file."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.backup(copy)
    db.close()
    return copy


def _migrate(db: sqlite3.Connection) -> None:
    with _transaction(db):
        version = db.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
        for script in MIGRATIONS[version:]:
            for statement in script:
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
