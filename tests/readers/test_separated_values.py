"""Tables of separated values: the fast way gives what reading cell by cell gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.readers.reading import at, flaws, mutated, read, series

from stetho.formats import blocks, separated
from stetho.reader import Flaw, Piece
from stetho.readers.separated_values import separated_values
from stetho.series import Series


def everything(pieces: list[Piece]) -> str:
    """All that was found, so that two readings can be compared."""
    found = []
    for one in pieces:
        if isinstance(one, Series):
            arrays = (one.values, one.steps, one.epochs, one.times, one.at)
            found.append((one.name, *(None if held is None else held.tolist() for held in arrays)))
        else:
            found.append((str(one),))
    return repr(sorted(found, key=str))


def both(text: str | bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Piece]:
    """What the fast way finds, after making sure that the slow one finds the same."""
    quick = read(separated_values, text, folder)
    with monkeypatch.context() as patch:
        patch.setattr(separated, "quick", lambda *_: None)
        assert everything(read(separated_values, text, folder)) == everything(quick)
    return quick


def table(seed: int, rows: int = 300, separator: str = ",") -> str:
    rng = random.Random(seed)
    kinds = [
        "0.5",
        "1e-5",
        "-3",
        "nan",
        "inf",
        "-inf",
        "NaN",
        "Infinity",
        ".5",
        "1.",
        "+2",
        "",
        "",
        "0.12345678901234567",
    ]
    strange = [
        "x",
        "1_0",
        "0x1",
        "1-2",
        "1 2",
        " 3 ",
        "nannan",
        "infin",
        "1.2.3",
        "-5e-324",
        '"4"',
        "1" * 70,
        "e",
        "a,b",
    ]
    lines = [separator.join(["step", "loss", "acc", "lr"])]
    for step in range(rows):
        cells = [str(step), *(rng.choice(kinds) for _ in range(3))]
        if seed % 2 and rng.random() < 0.02:
            cells[rng.randrange(1, 4)] = rng.choice(strange)
        lines.append(separator.join(cells))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(8))
def test_the_fast_way_finds_what_the_slow_way_finds(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 700)
    pieces = both(table(seed, separator=",;\t|"[seed % 4]), tmp_path, monkeypatch)
    assert set(series(pieces)) == {"loss", "acc", "lr"}
    loss = next(one for one in pieces if isinstance(one, Series))
    assert loss.steps is not None and loss.at is not None
    assert (loss.at - loss.steps == 2).all()


def test_an_empty_cell_is_no_point_and_nan_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = both("step,a,b\n1,,2\n2,nan,\n3,4,\n,,\n,5,6\n", tmp_path, monkeypatch)
    assert repr(series(pieces)) == repr({"a": [float("nan"), 4.0, 5.0], "b": [2.0, 6.0]})


def test_a_header_again_and_a_header_with_more_names(tmp_path: Path) -> None:
    text = "epoch,loss\n0,1\n1,2\nepoch,loss\n0,3\nepoch,loss,acc\n1,4,0.5\n"
    assert series(read(separated_values, text, tmp_path)) == {"loss": [1, 2, 3, 4], "acc": [0.5]}


def test_a_phase_is_put_before_the_name(tmp_path: Path) -> None:
    text = "epoch,phase,loss\n0,train,1\n0,val,2\n1,train,0.5\n"
    assert series(read(separated_values, text, tmp_path)) == {"train/loss": [1, 0.5], "val/loss": [2]}


def test_times_in_words_and_line_ends_of_another_system(tmp_path: Path) -> None:
    text = "timestamp,step,loss\r\n1970-01-01 00:00:05,1,2\r\n1970-01-01 00:00:06,2,1\r\n"
    (one,) = read(separated_values, text, tmp_path)
    assert isinstance(one, Series) and one.times is not None and one.times.tolist() == [5, 6]


def test_cut_off_anywhere_it_keeps_the_rows_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(["epoch,loss,acc\n", *(f"{n},{n}.5,0.{n}25\n" for n in range(8))])
    for cut in range(30, len(text)):
        pieces = both(text[:cut], tmp_path, monkeypatch)
        found = series(pieces).get("loss", [])
        whole = text[:cut].count("\n") - 1
        assert found[:whole] == [n + 0.5 for n in range(whole)] and len(found) <= whole + 1
        last = text[:cut].rpartition("\n")[2]
        assert len(flaws(pieces)) == (1 if last and last.count(",") < 2 else 0)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 12:00:00,123 INFO start\n2024-01-01 12:00:01,456 INFO step\n",
        "epoch 1, loss 0.5\nepoch 2, loss 0.4\n",
        "1,2,3\n4,5,6\n",
        "name,label\na,b\nc,d\n",
        "step,loss\n",
        "Traceback (most recent call last):\n  File x, line 1\n",
        "",
        ",\n,\n",
    ],
)
def test_what_is_no_table_with_a_header_is_not_taken(text: str, tmp_path: Path) -> None:
    assert separated_values.recognises(at(text, tmp_path)) == 0.0


def test_data_is_less_sure_than_a_log(tmp_path: Path) -> None:
    assert separated_values.recognises(at("height,weight\n1,2\n3,4\n", tmp_path)) < 0.3
    assert separated_values.recognises(at("height,loss\n1,2\n3,4\n", tmp_path)) > 0.5


def test_any_damage_is_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bad in mutated(table(2, 20).encode(), 300):
        for piece in both(bad, tmp_path, monkeypatch):
            assert isinstance(piece, (Series, Flaw))


def test_a_cell_that_is_too_long_is_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    monkeypatch.setattr(blocks, "LONGEST", 1000)
    text = "step,loss\n1,2\n2," + "9" * 5000 + "\n3,4\n"
    pieces = read(separated_values, text, tmp_path)
    assert series(pieces) == {"loss": [2, 4]} and len(flaws(pieces)) == 1
