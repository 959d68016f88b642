"""MLflow's runs, in its database and in its folders."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

import pytest
from tests.readers import databases as write
from tests.readers.reading import at, flaws, mutated, read, series

from stetho.artifact import artifact_at
from stetho.facts import ReportedEnd
from stetho.formats import database
from stetho.reader import Flaw, Piece, Reading
from stetho.readers.mlflow import mlflow
from stetho.readers.mlflow_folder import mlflow_folder
from stetho.series import Series

RUNS: list[tuple[object, ...]] = [
    ("aa", "same", "FINISHED", 1000, 9000, "active"),
    ("bb", "same", "KILLED", 1000, None, "active"),
    ("cc", "other", "RUNNING", 1000, None, "active"),
    ("dd", "gone", "FINISHED", 1000, None, "deleted"),
]
POINTS: list[tuple[object, ...]] = [
    (key, step / 2, 1000 + step, run, step, 0) for step in range(40) for run in ("aa", "bb", "dd") for key in ("x", "y")
]


def made(folder: Path) -> bytes:
    return write.database(folder / "made", write.MLFLOW, runs=RUNS, metrics=POINTS, params=[("lr", "0.1", "bb")])


def by_run(pieces: list[Piece]) -> dict[tuple[str, str], list[float]]:
    return {(one.run, one.name): one.values.tolist() for one in pieces if isinstance(one, Series)}


def test_runs_are_told_apart(tmp_path: Path) -> None:
    pieces = read(mlflow, made(tmp_path), tmp_path)
    values = [step / 2 for step in range(40)]
    assert by_run(pieces) == {(run, key): values for run in ("same aa", "same bb") for key in "xy"}
    one = next(piece for piece in pieces if isinstance(piece, Series))
    assert one.steps is not None and one.steps.tolist() == list(range(40)) and one.unit == "row"
    assert one.times is not None and one.times[0] == 1.0
    ends = {
        one.run: one.fact.outcome for one in pieces if isinstance(one, Reading) and isinstance(one.fact, ReportedEnd)
    }
    assert ends == {"same aa": "finished", "same bb": "killed", "other": "open"}


def test_it_is_known_by_its_tables(tmp_path: Path) -> None:
    assert mlflow.recognises(at(made(tmp_path), tmp_path)) > 0.9
    other = write.database(tmp_path / "other", "CREATE TABLE metrics (a); CREATE TABLE runs (b);")
    assert mlflow.recognises(at(other, tmp_path)) == 0.0


def test_what_a_dead_writer_left_beside_it_is_read_and_nothing_is_changed(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "live.db")
    connection.executescript("PRAGMA journal_mode = WAL;" + write.MLFLOW)
    connection.execute("INSERT INTO runs VALUES ('aa', 'one', 'RUNNING', 1000, NULL, 'active')")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO metrics VALUES ('loss', 0.5, 1000, 'aa', 1, 0)")
    connection.commit()
    folder = tmp_path / "dead"
    folder.mkdir()
    for suffix in ("", "-wal"):
        (folder / f"thing{suffix}").write_bytes((tmp_path / f"live.db{suffix}").read_bytes())
    connection.close()
    before = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    artifact = artifact_at(folder / "thing")
    assert artifact is not None and mlflow.recognises(artifact) > 0.9
    assert series(list(mlflow.function(artifact))) == {"loss": [0.5]}
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()} == before


def test_a_database_that_holds_programs_runs_none(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    view = write.MLFLOW.replace("CREATE TABLE metrics", "CREATE TABLE points") + (
        f"CREATE VIEW metrics AS {endless} SELECT 'a' AS key, x AS value, 1 AS timestamp, 'aa' AS run_uuid FROM c;"
    )
    pieces = read(mlflow, write.database(tmp_path / "view", view, runs=RUNS), tmp_path)
    assert series(pieces) == {}
    computed = write.MLFLOW.replace("value FLOAT NOT NULL", "value AS (length(zeroblob(500000000)))")
    data = write.database(tmp_path / "computed", computed, runs=RUNS)
    for piece in read(mlflow, data, tmp_path):
        assert not isinstance(piece, Series)


def test_reading_ends_when_its_time_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "INSTRUCTIONS", 100)
    data = made(tmp_path)
    monkeypatch.setattr(database.opened.__wrapped__, "__defaults__", (-1.0,))  # type: ignore[attr-defined]
    pieces = read(mlflow, data, tmp_path)
    assert len(flaws(pieces)) == 1 and "seconds" in flaws(pieces)[0].summary


def test_cut_off_and_damaged_it_is_survived(tmp_path: Path) -> None:
    data = made(tmp_path)
    for bad in (*(data[:cut] for cut in range(0, len(data), 97)), *mutated(data, 150)):
        for piece in read(mlflow, bad, tmp_path):
            assert isinstance(piece, (Series, Flaw, Reading))


META = "run_id: abc\nrun_name: one\nstart_time: 1000\nend_time: 2000\nstatus: 4\n"


def test_a_folder_with_lines_of_every_age(tmp_path: Path) -> None:
    lines = "1000 0.5 1\n2000 inf 2\n3000 1e-3 3\n"
    content = {
        "meta.yaml": META,
        "metrics/new": lines,
        "metrics/old": "1000 0.5\n2000 0.25\n",
        "metrics/a/b": "5 1 7 x y\n",
    }
    pieces = read(mlflow_folder, content, tmp_path)
    assert series(pieces) == {"new": [0.5, float("inf"), 1e-3], "old": [0.5, 0.25], "a/b": [1.0]}
    one = next(piece for piece in pieces if isinstance(piece, Series) and piece.name == "new")
    assert one.file.endswith("thing/metrics/new") and one.at is not None and one.at.tolist() == [1, 2, 3]
    (end,) = (piece.fact for piece in pieces if isinstance(piece, Reading))
    assert isinstance(end, ReportedEnd) and (end.outcome, end.ended) == ("failed", 2.0)


def test_the_fast_way_finds_what_the_slow_way_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(f"{n * 1000} {n / 3} {n}\n" for n in range(500))
    content = {"meta.yaml": META, "metrics/m": lines}
    quick = read(mlflow_folder, content, tmp_path)[0]
    monkeypatch.setattr("stetho.formats.separated.quick", lambda *_: None)
    slow = read(mlflow_folder, content, tmp_path)[0]
    assert isinstance(quick, Series) and isinstance(slow, Series)
    for name in ("values", "steps", "times", "at"):
        assert getattr(quick, name).tolist() == getattr(slow, name).tolist()


def test_links_and_pipes_in_a_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("1 2 3\n")
    at({"meta.yaml": META, "metrics/real": "1 2 3\n"}, tmp_path)
    os.symlink(tmp_path / "outside", tmp_path / "thing/metrics/link")
    os.symlink(tmp_path / "thing", tmp_path / "thing/metrics/loop")
    os.mkfifo(tmp_path / "thing/metrics/pipe")
    assert set(series(read(mlflow_folder, {}, tmp_path))) == {"real"}


def test_any_damage_to_a_metric_is_survived(tmp_path: Path) -> None:
    for bad in mutated(b"".join(b"%d %d.5 %d\n" % (n * 1000, n, n) for n in range(9)), 200):
        for piece in read(mlflow_folder, {"meta.yaml": META, "metrics/m": bad}, tmp_path):
            assert isinstance(piece, (Series, Flaw, Reading))
