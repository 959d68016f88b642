"""The ledger keeps what it acknowledged: append-only, numbered once, read while written, kill -9 or not."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from stetho import ledger as ledger_module
from stetho.case import Request
from stetho.errors import LedgerError, UnknownName
from stetho.evidence import Evidence, Place, Source
from stetho.experiment import Change, Edit, Experiment, ExperimentOutcome
from stetho.facts import LossCurve, UpdateRatios
from stetho.ledger import MIGRATIONS, Ledger, fact_of
from stetho.verdict import Claim, Hypothesis, Verdict

SRC = Path(__file__).parents[1] / "src"
ODD_TEXT = "nul \0, lone \udc80 surrogate, \x1b[31m escape, quotes '\" and 漢字"
REQUEST = Request(("python", "train.py"), "/work", 7, 600.0, "loss-flat", True, 1.5)


def experiment(id: str, outcome: ExperimentOutcome = "same") -> Experiment:
    """An experiment with every nested part filled in."""
    change = Change("lr", "0", (Edit("train.py", "a", "b", 3, "why"),), ("python", "train.py", "--lr", "0"))
    predicted = {"hp/lr-too-low": {"same": 0.05, "better": 0.95}}
    return Experiment(id, "control", change, "is it the lr?", predicted, outcome, "still flat", 2.5, 40, None, math.inf)


def python(code: str, *args: object) -> subprocess.Popen[str]:
    """A process of its own that runs `code` with this stetho on its path."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )


def stream(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def raw(path: Path) -> sqlite3.Connection:
    """The file as any other program would open it."""
    return sqlite3.connect(path, isolation_level=None)


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    """One query, after which the file is let go: a connection left open keeps SQLite from recovering."""
    with closing(raw(path)) as db:
        return db.execute(query).fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture
def full(path: Path) -> Path:
    """A ledger with one entry of each type."""
    with Ledger.create(path) as ledger:
        ledger.add_request(REQUEST)
        ledger.add_evidence("probe", "first")
        ledger.add_experiment(experiment("X1"))
        ledger.add_note("a note")
        ledger.add_verdict(Verdict({}, "0001-train", "unknown"))
    return path


def tables(path: Path) -> list[object]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return [row[0] for row in ask(path, query)]


def test_evidence_is_numbered_and_read_back(path: Path) -> None:
    with Ledger.create(path) as ledger:
        first = ledger.add_evidence("probe", "four cores", source=Source(command="nproc"), data={"cores": 4})
        second = ledger.add_evidence("observation", "a line", source=Source("a.log", 8, 12), run="base")
    assert first == Evidence("E1", "probe", "four cores", Source(command="nproc"), data={"cores": 4})
    assert second == Evidence("E2", "observation", "a line", Source("a.log", 8, 12), run="base")
    with Ledger.open(path, read_only=True) as ledger:
        assert ledger.evidence() == (first, second)
        assert ledger.get_evidence("E2") == second


def test_numbers_go_on_past_nine_and_after_reopening(path: Path) -> None:
    with Ledger.create(path) as ledger:
        for _ in range(11):
            ledger.add_evidence("probe", "x")
    with Ledger.open(path) as ledger:
        assert ledger.add_evidence("probe", "x").id == "E12"
        assert [e.id for e in ledger.evidence()] == [f"E{n}" for n in range(1, 13)]


def test_unknown_evidence_names_what_is_near(full: Path) -> None:
    with (
        Ledger.open(full) as ledger,
        pytest.raises(UnknownName, match=r"no evidence 'E12'\. Did you mean E1\?"),
    ):
        ledger.get_evidence("E12")


def test_facts_come_back_with_nan_and_inf(path: Path) -> None:
    curve = LossCurve((2.3, math.inf, -math.inf, math.nan), (0, 1, 2, 3), Place("train.py", 4), 2.303, "ln 10")
    with Ledger.create(path) as ledger:
        evidence = ledger.add_evidence("observation", "the loss", fact=curve)
        assert evidence.fact == "loss-curve"
        stored = ledger.get_evidence("E1")
    assert stored == evidence
    again = fact_of(stored)
    assert isinstance(again, LossCurve)
    assert again.values[:3] == curve.values[:3]
    assert math.isnan(again.values[3])
    assert (again.steps, again.where, again.chance) == (curve.steps, curve.where, curve.chance)


@pytest.mark.parametrize(
    ("fact", "data"),
    [
        (None, {"values": [1.0]}),
        ("not-a-fact", {"values": [1.0]}),
        ("loss-curve", None),
        ("loss-curve", {"steps": [1]}),
        ("loss-curve", {"values": ["no number"]}),
        ("loss-curve", [1.0]),
    ],
)
def test_what_is_no_known_fact_is_none(fact: str | None, data: object) -> None:
    assert fact_of(Evidence("E1", "probe", "x", fact=fact, data=data)) is None  # type: ignore[arg-type]


def test_a_fact_with_keys_of_a_newer_stetho_is_read() -> None:
    data = {"steps": [1], "ratios": [1e-3], "newer": True}
    newer = Evidence("E1", "probe", "x", fact="update-ratios", data=data)  # type: ignore[arg-type]
    assert fact_of(newer) == UpdateRatios((1,), (1e-3,))


def test_experiments_are_kept_under_their_ids(path: Path) -> None:
    with Ledger.create(path) as ledger:
        assert ledger.next_experiment_id() == "X1"
        ledger.add_experiment(experiment("X2"))
        ledger.add_experiment(experiment("X1", "better"))
        assert ledger.next_experiment_id() == "X3"
        assert ledger.experiments() == (experiment("X2"), experiment("X1", "better"))
        with pytest.raises(LedgerError, match="exists already"):
            ledger.add_experiment(experiment("X1", "worse"))
        assert ledger.experiments()[1].outcome == "better"


def test_the_newest_verdict_and_request_count(path: Path) -> None:
    claim = Claim("num/log-of-zero", 0.97, "it is", ("E1",), (Place("train.py", 3),))
    verdict = Verdict(
        {"command": ["python", "train.py"]},
        "0001-train",
        "established",
        hypotheses=(Hypothesis("num/log-of-zero", 0.02, 0.97, "likely"),),
        claim=claim,
        evidence=(Evidence("E1", "probe", "x", data={"a": [1, None, "nan"]}),),
    )
    with Ledger.create(path) as ledger:
        assert (ledger.verdict(), ledger.request(), ledger.notes()) == (None, None, ())
        ledger.add_verdict(Verdict({}, "0001-train", "unknown"))
        ledger.add_verdict(verdict)
        ledger.add_request(Request((), "/", 0, math.inf, None, False, 0.0))
        ledger.add_request(REQUEST)
        ledger.add_note("one")
        ledger.add_note(ODD_TEXT)
    with Ledger.open(path, read_only=True) as ledger:
        assert (ledger.verdict(), ledger.request(), ledger.notes()) == (verdict, REQUEST, ("one", ODD_TEXT))


def test_odd_text_is_kept(path: Path) -> None:
    with Ledger.create(path) as ledger:
        kept = ledger.add_evidence("reading", ODD_TEXT, source=Source(file=ODD_TEXT), data={ODD_TEXT: [ODD_TEXT]})
        assert ledger.evidence() == (kept,)
        assert kept.summary == ODD_TEXT
        assert ledger.add_evidence("reading", "numbers", data=[math.nan, 10**30]).data == ["nan", 10**30]


def test_what_cannot_be_kept_is_refused_in_one_line(path: Path) -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with Ledger.create(path) as ledger:
        for value in (b"bytes", {"a": object()}, Path("x"), cycle, 10**5000):
            with pytest.raises(LedgerError) as caught:
                ledger.add_evidence("probe", "x", data=value)  # type: ignore[arg-type]
            assert "\n" not in str(caught.value)
        with pytest.raises(LedgerError):
            ledger.add_experiment(experiment("X\udc80"))
        assert ledger.add_evidence("probe", "goes on").id == "E1"


def test_nothing_can_be_changed_or_deleted(full: Path) -> None:
    db = raw(full)
    assert tables(full) == ["entry"]
    for table in tables(full):
        rows = db.execute(f"SELECT * FROM {table}").fetchall()
        assert len(rows) == 5
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        changes = [f"UPDATE {table} SET {column} = {column}" for column in columns]
        changes += [f"DELETE FROM {table}", f"DELETE FROM {table} WHERE seq = 1"]
        changes += [
            f"INSERT OR REPLACE INTO {table} VALUES (1, 'note', 'N99', '\"other\"', 0)",
            f"REPLACE INTO {table} (type, id, body, at) VALUES ('evidence', 'E1', '\"other\"', 0)",
        ]
        for change in changes:
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(change)
        assert db.execute(f"SELECT * FROM {table}").fetchall() == rows


def test_commits_are_durable(path: Path) -> None:
    with Ledger.create(path):
        assert ask(path, "PRAGMA journal_mode") == [("wal",)]
    with Ledger.open(path) as ledger:
        assert ledger._db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_new_ledger_has_the_present_version(full: Path) -> None:
    assert ask(full, "PRAGMA user_version") == [(len(MIGRATIONS),)]


@pytest.mark.parametrize("read_only", [False, True])
def test_an_empty_version_0_database_migrates(path: Path, read_only: bool) -> None:
    ask(path, "VACUUM")
    with Ledger.open(path, read_only) as ledger:
        assert ledger.evidence() == ()
    assert ask(path, "PRAGMA user_version") == [(0 if read_only else 1,)]


@pytest.mark.parametrize("version", [0, 1])
def test_an_older_file_made_by_hand_migrates(path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    db = raw(path)
    db.execute(
        "CREATE TABLE entry (seq INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, id TEXT, body TEXT, at REAL,"
        " UNIQUE (type, id))"
    )
    old = {"id": "E1", "kind": "probe", "summary": "old"}
    db.execute("INSERT INTO entry (type, id, body, at) VALUES ('evidence', 'E1', ?, 0)", (json.dumps(old),))
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    monkeypatch.setattr(ledger_module, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE later (x)",)))
    with Ledger.open(path, read_only=True) as ledger:
        assert ledger.evidence() == (Evidence("E1", "probe", "old"),)
    assert tables(path) == ["entry"], "reading changes no file"
    with Ledger.open(path) as ledger:
        assert ledger.evidence() == (Evidence("E1", "probe", "old"),)
        assert ledger.add_evidence("probe", "new").id == "E2"
    assert tables(path) == ["entry", "later"]
    assert ask(path, "PRAGMA user_version") == [(2,)]
    if version == 0:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            ask(path, "DELETE FROM entry")


def test_a_migration_that_fails_leaves_the_file_as_it_was(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE later (x)", "nonsense")))
    with pytest.raises(LedgerError, match="syntax error"):
        Ledger.open(full)
    monkeypatch.undo()
    assert tables(full) == ["entry"]
    with Ledger.open(full) as ledger:
        assert len(ledger.evidence()) == 1


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_is_refused(full: Path, read_only: bool) -> None:
    ask(full, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(LedgerError, match=r"written by a newer stetho \(schema 2, this one knows 1\)") as caught:
        Ledger.open(full, read_only)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("content", [b"", b"no database at all\n" * 400, b"SQLite format 3\0" + b"\xff" * 4096])
def test_what_is_no_database_is_refused_and_left_alone(path: Path, content: bytes, read_only: bool) -> None:
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=str(path)) as caught:
        Ledger.open(path, read_only)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize("columns", ["x", "id, body"])
def test_the_database_of_another_program_is_left_alone(path: Path, columns: str) -> None:
    ask(path, f"CREATE TABLE entry ({columns})")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="not a stetho ledger"):
        Ledger.open(path)
    assert path.read_bytes() == before


def test_missing_existing_closed_and_read_only_are_one_line(full: Path, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.open(tmp_path / "missing")
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.open(tmp_path)
    with pytest.raises(LedgerError, match="already"):
        Ledger.create(full)
    with Ledger.open(full, read_only=True) as ledger, pytest.raises(LedgerError, match="readonly"):
        ledger.add_note("x")
    with pytest.raises(LedgerError, match="closed"):
        ledger.notes()


def test_an_entry_of_the_wrong_shape_is_named(full: Path) -> None:
    ask(full, "INSERT INTO entry (type, id, body, at) VALUES ('evidence', 'E2', '{\"id\": 1}', 0)")
    ask(full, "INSERT INTO entry (type, id, body, at) VALUES ('verdict', 'V2', 'no json', 0)")
    with Ledger.open(full) as ledger:
        with pytest.raises(LedgerError, match="entry E2 that cannot be read"):
            ledger.evidence()
        assert ledger.get_evidence("E1").summary == "first"
        with pytest.raises(LedgerError, match="entry V2 that cannot be read"):
            ledger.verdict()


READ_AS_NOBODY = """
import os, sys
from pathlib import Path
from stetho.ledger import Ledger
if os.geteuid() == 0:
    os.setuid(65534)
print([e.summary for e in Ledger.open(Path(sys.argv[1]), read_only=True).evidence()])
"""


def test_a_ledger_in_a_read_only_folder_is_read() -> None:
    # pytest's folder is closed to other users, and root is stopped by no permission.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ledger.sqlite")
        with Ledger.create(path) as ledger:
            ledger.add_evidence("probe", "kept")
        path.chmod(0o444)
        os.chmod(folder, 0o555)
        try:
            reader = python(READ_AS_NOBODY, path)
            assert reader.communicate()[0] == "['kept']\n"
        finally:
            os.chmod(folder, 0o755)


def test_threads_share_one_ledger(path: Path) -> None:
    def write() -> None:
        for _ in range(20):
            ids.append(ledger.add_evidence("probe", "x").id)

    ids: list[str] = []
    with Ledger.create(path) as ledger:
        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(ids) == sorted(f"E{n}" for n in range(1, 81))
        assert len(ledger.evidence()) == 80


WRITE_ON_DEMAND = """
import sys
from pathlib import Path
from stetho.ledger import Ledger
with Ledger.open(Path(sys.argv[1])) as ledger:
    for line in sys.stdin:
        print(ledger.add_evidence("probe", line.strip()).id, flush=True)
"""


def test_a_reader_sees_each_record_as_it_is_committed(path: Path) -> None:
    Ledger.create(path).close()
    writer = python(WRITE_ON_DEMAND, path)
    with Ledger.open(path, read_only=True) as reader:
        for number in range(1, 6):
            print(f"record {number}", file=stream(writer.stdin), flush=True)
            assert stream(writer.stdout).readline() == f"E{number}\n"
            assert [e.summary for e in reader.evidence()] == [f"record {n}" for n in range(1, number + 1)]
    writer.communicate()
    assert writer.returncode == 0


def test_a_reader_neither_waits_for_a_writer_nor_sees_half_of_it(full: Path) -> None:
    writer = raw(full)
    writer.execute("BEGIN IMMEDIATE")
    body = '{"id": "E2", "kind": "probe", "summary": "second"}'
    writer.execute("INSERT INTO entry (type, id, body, at) VALUES ('evidence', 'E2', ?, 0)", (body,))
    with Ledger.open(full, read_only=True) as reader:
        assert [e.id for e in reader.evidence()] == ["E1"]
        writer.execute("COMMIT")
        assert [e.id for e in reader.evidence()] == ["E1", "E2"]


WRITE_MANY = """
import sys
from pathlib import Path
from stetho.ledger import Ledger
with Ledger.open(Path(sys.argv[1])) as ledger:
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(60):
        print(ledger.add_evidence("probe", f"{sys.argv[2]} {n}").id)
"""


def test_writers_at_the_same_time_get_different_ids(path: Path) -> None:
    Ledger.create(path).close()
    writers = [python(WRITE_MANY, path, name) for name in "abc"]
    for writer in writers:
        assert stream(writer.stdout).readline() == "ready\n"
    for writer in writers:
        print(file=stream(writer.stdin), flush=True)
    given = {name: writer.communicate()[0].split() for name, writer in zip("abc", writers, strict=True)}
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    with Ledger.open(path, read_only=True) as ledger:
        stored = {e.id: e.summary for e in ledger.evidence()}
    expected = {id: f"{name} {n}" for name, ids in given.items() for n, id in enumerate(ids)}
    assert stored == expected
    assert set(stored) == {f"E{n}" for n in range(1, 181)}


WRITE_FOREVER = """
import sys
from itertools import count
from pathlib import Path
from stetho.ledger import Ledger
ledger = Ledger.open(Path(sys.argv[1]))
for n in count():
    id = ledger.add_evidence("probe", f"{sys.argv[2]} {n}", data=["x" * (n * 997 % 9000)]).id
    print(id, n, flush=True)
"""


def payload(number: int) -> list[str]:
    return ["x" * (number * 997 % 9000)]


def test_what_was_acknowledged_survives_kill_9(path: Path) -> None:
    Ledger.create(path).close()
    acknowledged: dict[str, tuple[int, int]] = {}
    for life in range(6):
        writer = python(WRITE_FOREVER, path, life)
        lines = [stream(writer.stdout).readline() for _ in range(random.Random(life).randint(1, 120))]
        writer.send_signal(signal.SIGKILL)
        lines += stream(writer.stdout).readlines()
        assert writer.wait() == -signal.SIGKILL
        for line in lines:
            id, n = line.split()
            assert id not in acknowledged
            acknowledged[id] = (life, int(n))
        with Ledger.open(path, read_only=True) as ledger:
            stored = {e.id: e for e in ledger.evidence()}
        with Ledger.open(path) as ledger:
            assert {e.id: e for e in ledger.evidence()} == stored
            for id, (then, number) in acknowledged.items():
                assert (stored[id].summary, stored[id].data) == (f"{then} {number}", payload(number))
            # At most one record per life was committed and killed before it could be acknowledged.
            assert len(stored) - len(acknowledged) <= 2 * life + 1
            added = ledger.add_evidence("probe", "goes on")
            assert added.id == f"E{len(stored) + 1}"
        assert ask(path, "PRAGMA integrity_check") == [("ok",)]
