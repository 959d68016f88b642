"""Trackio's databases, of new and old versions."""

from __future__ import annotations

from pathlib import Path

from tests.readers import databases as write
from tests.readers.reading import at, mutated, read, series

from stetho.facts import Config
from stetho.reader import Flaw, Reading
from stetho.readers.mlflow import mlflow
from stetho.readers.trackio import trackio
from stetho.series import Series

TIME = "1970-01-01T00:00:{:02}+00:00"
ROWS: list[tuple[object, ...]] = [
    (n + 1, "ab", TIME.format(n), "one", n, f'{{"loss": {n / 2}, "bad": "NaN", "text": "x"}}') for n in range(20)
]
SETTINGS: list[tuple[object, ...]] = [(1, "ab", "one", '{"lr": 0.1, "_Created": "x"}', "x")]


def test_numbers_steps_and_times(tmp_path: Path) -> None:
    data = write.database(tmp_path / "made", write.TRACKIO, metrics=ROWS, configs=SETTINGS)
    pieces = read(trackio, data, tmp_path)
    assert series(pieces)["loss"] == [n / 2 for n in range(20)] and set(series(pieces)) == {"loss", "bad"}
    one = next(piece for piece in pieces if isinstance(piece, Series))
    assert one.run == "one" and one.steps is not None and one.steps.tolist() == list(range(20))
    assert one.times is not None and one.times.tolist() == list(range(20))
    (config,) = (piece.fact for piece in pieces if isinstance(piece, Reading))
    assert isinstance(config, Config) and [value.key for value in config.values] == ["lr"]


def test_a_version_without_ids_and_values_of_bytes(tmp_path: Path) -> None:
    script = "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);"
    rows: list[tuple[object, ...]] = [
        (1, "5.5", "one", 0, b'{"a": 1}'),
        (2, "x", "two", 9, "[1]"),
        (3, None, "one", None, "{"),
    ]
    data = write.database(tmp_path / "made", script, metrics=rows)
    assert trackio.recognises(at(data, tmp_path)) > 0.9 and mlflow.recognises(at(data, tmp_path)) == 0.0
    assert series(read(trackio, data, tmp_path)) == {"a": [1.0]}


def test_cut_off_and_damaged_it_is_survived(tmp_path: Path) -> None:
    data = write.database(tmp_path / "made", write.TRACKIO, metrics=ROWS, configs=SETTINGS)
    for bad in (*(data[:cut] for cut in range(0, len(data), 97)), *mutated(data, 150)):
        for piece in read(trackio, bad, tmp_path):
            assert isinstance(piece, (Series, Flaw, Reading))
