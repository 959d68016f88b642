"""Tables of the user's: read without unpickling, and written again with nothing else changed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from stetho import tables
from stetho.tables import Table

CSV = "time,flow,state\n1,2.5,ok\n2,,ok\n3,4.5,bad\n"
LINES = '{"bands": [1.0, 2.0], "state": "ok"}\n{"bands": [NaN, 4.0], "state": "ok"}\n{"bands": [5, 6], "state": "x"}\n'


def table_of(path: Path) -> Table:
    found = tables.read(path)
    assert found is not None
    return found


def test_separated_values_are_columns_of_numbers_and_of_words(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    table = table_of(path)
    assert [column.name for column in table.columns] == ["time", "flow", "state"]
    assert np.isnan(table.columns[1].numbers[1])  # type: ignore[index]
    assert table.columns[2].words == ["ok", "ok", "bad"]
    assert table.written({"flow": {1: 3.5}}).decode() == CSV.replace("2,,ok", "2,3.5,ok")


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([f"a{k},{k % 4}" for k in range(30)], ["0", "1"]),
        ([f"{('sport', 'money')[k % 2]}\ttext number {k}" for k in range(30)], ["0", "1"]),
        ([f"a{k},{k / 7:.3f}" for k in range(30)], ["0", "1"]),
        (["region,2019,2020", *(f"r{k},{k + 5},{3 * k}" for k in range(30))], ["region", "2019", "2020"]),
        (["label,note", *(f"l{k % 3},word {k}" for k in range(30))], ["label", "note"]),
    ],
)
def test_a_first_row_that_is_like_the_others_names_nothing(tmp_path: Path, rows: list[str], names: list[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(rows) + "\n")
    table = table_of(path)
    assert [column.name for column in table.columns] == names
    assert table.rows == 30 and table.dropped is not None
    first = 1 if names == ["0", "1"] else 2
    assert table.first_line == first and table.dropped(range(30)).decode() == "".join(
        r + "\n" for r in rows[: first - 1]
    )


def test_rows_of_json_keep_the_lines_that_are_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(LINES)
    table = table_of(path)
    assert [column.name for column in table.columns] == ["bands[0]", "bands[1]", "state"]
    changed = table.written({"bands[0]": {1: 3.0}}).decode().splitlines()
    assert json.loads(changed[1])["bands"] == [3.0, 4.0]
    assert [changed[0], changed[2]] == [LINES.splitlines()[0], LINES.splitlines()[2]]


def test_arrays_are_written_again_in_their_own_types(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, x=np.arange(12, dtype="float32").reshape(6, 2), y=np.arange(6), version=3)
    table = table_of(path)
    assert [column.name for column in table.columns] == ["x[:, 0]", "x[:, 1]", "y"]
    path.write_bytes(table.written({"x[:, 1]": {2: 99.0}, "y": {0: 7.0}}))
    with np.load(path) as again:
        assert again["x"][2].tolist() == [4.0, 99.0]
        assert again["x"].dtype == np.float32
        assert again["y"].tolist() == [7, 1, 2, 3, 4, 5]
        assert int(again["version"]) == 3


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x80\x04\x95", b"{broken", b"a,b\n1\n2,3,4\n", b"PK\x03\x04"])
def test_what_is_no_table_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert tables.read(path) is None


def test_pickled_objects_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, x=np.array([{"a": 1}, {"a": 2}], dtype=object))
    assert tables.read(path) is None
