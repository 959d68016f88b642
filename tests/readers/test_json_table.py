"""A table in one JSON document, whole or cut off."""

from __future__ import annotations

import json
from pathlib import Path

from tests.readers.reading import at, flaws, mutated, read, series

from stetho.reader import Flaw
from stetho.readers.json_table import json_table
from stetho.readers.trainer_state import trainer_state
from stetho.series import Series

ROWS = [{"step": n, "loss": n / 2, "x": {"y": -n}} for n in range(9)]


def test_rows_are_those_that_json_finds(tmp_path: Path) -> None:
    for indent in (None, 2):
        pieces = read(json_table, json.dumps(ROWS, indent=indent), tmp_path)
        assert series(pieces) == {"loss": [n / 2 for n in range(9)], "x/y": [-n for n in range(9)]}
    one = pieces[0]
    assert isinstance(one, Series) and one.at is not None
    assert one.at.tolist() == [2 + 7 * n for n in range(9)]


def test_cut_off_anywhere_it_keeps_the_rows_before(tmp_path: Path) -> None:
    text = json.dumps(ROWS)
    for cut in range(1, len(text)):
        pieces = read(json_table, text[:cut], tmp_path)
        assert series(pieces).get("loss", []) == [n / 2 for n in range(text[:cut].count("}}"))]
        assert len(flaws(pieces)) == 1


def test_columns_of_different_lengths(tmp_path: Path) -> None:
    pieces = read(json_table, json.dumps({"loss": [3, 2, 1], "val": [5, None], "lr": ["0.1"], "deep": [[1]]}), tmp_path)
    assert series(pieces) == {"loss": [3, 2, 1], "val": [5], "lr": [0.1]}


def test_deep_nests_are_flaws(tmp_path: Path) -> None:
    for one in (json_table, trainer_state):
        for deep in ("[" * 100_000, '[{"a": ' * 50_000, '{"log_history": ' + "[" * 100_000, '{"a": ' * 50_000):
            pieces = read(one, deep, tmp_path)
            assert [type(piece) for piece in pieces] == [Flaw]


def test_any_damage_is_survived(tmp_path: Path) -> None:
    for text in (json.dumps(ROWS), json.dumps({"loss": [3, 2, 1], "val": [5, None]})):
        for bad in mutated(text.encode(), 200):
            for piece in read(json_table, bad, tmp_path):
                assert isinstance(piece, (Series, Flaw))


def test_a_document_of_something_else_is_not_taken(tmp_path: Path) -> None:
    assert json_table.recognises(at('["a", "b"]', tmp_path)) == 0.0
    assert json_table.recognises(at('{"lr": 0.1, "layers": [1, 2]}', tmp_path)) == 0.0
    assert json_table.recognises(at('[{"name": "x"}]', tmp_path)) == 0.0
