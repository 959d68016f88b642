"""Rows of JSON: the fast way gives what json gives, line by line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.readers.reading import at, flaws, mutated, read, series

from stetho.formats import blocks
from stetho.formats.rows import numbers, time_in
from stetho.reader import Flaw, Piece
from stetho.readers.json_lines import json_lines
from stetho.series import Series


def slowly(data: bytes) -> dict[str, list[tuple[int, float]]]:
    """Line and value of every number, by json alone."""
    found: dict[str, list[tuple[int, float]]] = {}
    for line, text in enumerate(data.split(b"\n"), 1):
        try:
            row = json.loads(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            for name, value in numbers(row).items():
                found.setdefault(name, []).append((line, value))
    return found


def quickly(pieces: list[Piece]) -> dict[str, list[tuple[int, float]]]:
    found = {}
    for one in pieces:
        if isinstance(one, Series):
            assert one.at is not None
            found[one.name] = list(zip(one.at.tolist(), one.values.tolist(), strict=True))
    return found


def same(data: bytes, folder: Path) -> None:
    expected = slowly(data)
    found = quickly(read(json_lines, data, folder))
    axes = tuple(name for name in expected if name not in found)
    assert set(axes) <= {"step", "epoch", "time", "iter"}
    assert repr(sorted(found.items())) == repr(sorted((k, v) for k, v in expected.items() if k not in axes))


NUMBERS = ["0", "-0", "1", "-1.5", "1e5", "1E-7", "0.1", "123456789012345678901234567890", "5e-324", "1e999", "2.5e+3"]
STRANGE = ["01", "+1", ".5", "1.", "1e", "--1", "1-2", "1.2.3", "1e5e3", "", "NaN", "-Infinity", "null", "true", '"7"',
           "1 2", "- 1", "0x10", "1_0", "-", "[1, 2]", '{"b": 1}', "1e5.3", "00", "-01"]  # fmt: skip


def test_every_way_to_write_a_number_is_read_as_json_reads_it(tmp_path: Path) -> None:
    rng = random.Random(0)
    for strange in (None, *STRANGE):
        rows = []
        for step in range(60):
            values = [rng.choice(NUMBERS) for _ in range(3)]
            if strange is not None and rng.random() < 0.05:
                values[rng.randrange(3)] = strange
            rows.append(f'{{"step": {step}, "a": {values[0]}, "b": {values[1]}, "c": {{"d": {values[2]}}}}}')
        same(("\n".join(rows) + "\n").encode(), tmp_path)


def test_a_missing_number_and_a_doubled_one_do_not_make_up_for_each_other(tmp_path: Path) -> None:
    rows = ['{"a": 1, "b": 2}'] * 20
    for bad in ('{"a": , "b": 2}', '{"a": 1.2.3, "b": 2}', '{"a": 1-1, "b": 2}', '{"b": 1, "a": 2}', '{"a": 1, "b": 2'):
        same("\n".join([*rows, bad, *rows, '{"a": , "b": 1.5.5}', *rows, ""]).encode(), tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_many_shapes_are_read_in_their_order(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 3000)
    rng = random.Random(seed)
    rows = []
    for step in range(1500):
        loss = rng.choice([rng.gauss(0, 1), rng.randrange(100), round(rng.random(), 3)])
        kind = rng.random()
        if kind < 0.8:
            row: object = {"step": step, "loss": loss, "lr": 1e-4 * rng.random()}
        elif kind < 0.9:
            row = {"step": step, "eval": {"loss": loss, "acc": [0.5]}, "mode": "x"}
        elif kind < 0.95:
            row = {"mode": rng.choice(["train", "val"]), "step": step, "loss": str(loss)}
        else:
            row = rng.choice(["text", 5, [1], {"loss": float("nan"), "step": step}, {"ä": 1.0}, {}, {"lr": None}])
        rows.append(json.dumps(row, ensure_ascii=rng.random() < 0.5))
        if rng.random() < 0.02:
            rows.append(rng.choice(["", "  ", "{broken", "\x01", '{"step": 1, "loss": 1}\r']))
    same("\n".join(rows).encode(), tmp_path)


def test_steps_epochs_and_times_are_told_by_their_names(tmp_path: Path) -> None:
    rows = [{"global_step": n, "iter": n % 2, "epoch": n / 2, "timestamp": 100.0 + n, "loss": n} for n in range(6)]
    found = [one for one in read(json_lines, "\n".join(map(json.dumps, rows)), tmp_path) if isinstance(one, Series)]
    assert [one.name for one in found] == ["iter", "loss"]
    loss = found[1]
    assert loss.steps is not None and loss.steps.tolist() == [0, 1, 2, 3, 4, 5] and loss.steps.dtype == np.int64
    assert loss.epochs is not None and loss.epochs.tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
    assert loss.times is not None and loss.times.tolist() == [100, 101, 102, 103, 104, 105]


def test_time_that_does_not_go_on_is_how_long_a_step_took(tmp_path: Path) -> None:
    rows = [{"step": n, "time": 0.3 + (n % 2), "loss": n} for n in range(6)]
    assert set(series(read(json_lines, "\n".join(map(json.dumps, rows)), tmp_path))) == {"time", "loss"}


def test_a_row_without_a_step_has_that_of_the_row_before(tmp_path: Path) -> None:
    text = '{"loss": 1}\n{"step": 5, "loss": 2}\n{"loss": 3}\n{"step": 9, "loss": 4}\n'
    (one,) = read(json_lines, text, tmp_path)
    assert isinstance(one, Series) and one.steps is not None and one.steps.tolist() == [5, 5, 5, 9]


def test_times_in_words() -> None:
    assert time_in("1970-01-01T00:00:10Z") == 10.0
    assert time_in("1970/01/01 00:00:10.500") == 10.5
    assert time_in("yesterday, around noon") is None


def test_cut_off_anywhere_it_keeps_the_lines_before(tmp_path: Path) -> None:
    data = "".join(json.dumps({"step": n, "loss": n / 2}) + "\n" for n in range(12)).encode()
    for cut in range(len(data)):
        pieces = read(json_lines, data[:cut], tmp_path)
        whole = data[:cut].count(b"\n") + (data[cut : cut + 1] == b"\n")
        assert series(pieces).get("loss", []) == [n / 2 for n in range(whole)]
        assert len(flaws(pieces)) == (0 if data[:cut].endswith(b"\n") or data[cut : cut + 1] == b"\n" or not cut else 1)


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    monkeypatch.setattr(blocks, "LONGEST", 1000)
    text = '{"step": 1, "loss": 1}\n' + '{"x": "' + "y" * 5000 + '"}\n{"step": 2, "loss": 2}\n{"step": 3, "loss": 3}\n'
    pieces = read(json_lines, text, tmp_path)
    assert series(pieces) == {"loss": [1, 2, 3]}
    assert [flaw.line for flaw in flaws(pieces)] == [2]
    (one,) = (piece for piece in pieces if isinstance(piece, Series))
    assert one.at is not None and one.at.tolist() == [1, 3, 4]


def test_a_deep_nest_and_too_many_names_are_flaws(tmp_path: Path) -> None:
    deep = '{"a": ' * 50_000 + "1" + "}" * 50_000
    pieces = read(json_lines, '{"step": 1, "loss": 1}\n' + deep + '\n{"step": 2, "loss": 1}\n', tmp_path)
    assert [flaw.line for flaw in flaws(pieces)] == [2]
    many = "\n".join(json.dumps({f"k{n}": n}) for n in range(6000))
    pieces = read(json_lines, many, tmp_path)
    assert len(flaws(pieces)) == 1 and len(series(pieces)) == 5000


def test_any_damage_is_survived_and_read_as_json_reads_it(tmp_path: Path) -> None:
    rng = random.Random(5)
    data = "".join(json.dumps({"step": n, "loss": rng.random(), "x": {"y": n}}) + "\n" for n in range(30)).encode()
    for bad in mutated(data, 400):
        pieces = read(json_lines, bad, tmp_path)
        assert all(isinstance(piece, (Series, Flaw)) for piece in pieces)
        found, expected = quickly(pieces), slowly(bad)
        assert set(found) <= set(expected)
        for name, points in found.items():
            assert repr(points) == repr(expected[name])


def test_it_is_known_by_its_lines(tmp_path: Path) -> None:
    assert json_lines.recognises(at('{"step": 1, "loss": 2}\n{"step": 2, "loss": 1}\n', tmp_path)) == 0.9
    assert json_lines.recognises(at('{\n "lr": 1,\n "layers": 2\n}\n', tmp_path)) == 0.0
    assert json_lines.recognises(at('{"lr": 1, "layers": 2}', tmp_path)) == 0.0
    assert json_lines.recognises(at("{'loss': 1.0}\n{'loss': 2.0}\n", tmp_path)) == 0.0
