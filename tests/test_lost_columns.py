"""Columns that are lost on their way to the model: told from the file beside what enters, and given in other units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stetho import tables
from stetho.facts import DataFile, DataFiles, Feature, InputScale, Labels, LostColumn, LostColumns, SaturatedFeatures
from stetho.files import read_tables
from stetho.files.lost import lost_columns
from stetho.fixes import Grounds
from stetho.fixes.other_units import candidates
from stetho.measure.saturated import goes_with, is_saturated
from stetho.measure.telling import told_by_all

ROWS, WIDE = 900, 5


def rows() -> tuple[Any, Any]:
    """Five columns, of which the fourth tells most of the answer."""
    deal = np.random.default_rng(3)
    x = deal.normal(size=(ROWS, WIDE)) * [1, 10, 0.1, 200, 3] + [0, 5, 0, 900, 2]
    z = (x - x.mean(0)) / x.std(0)
    return x, 0.5 * z[:, 0] + 1.5 * z[:, 3] + 0.2 * deal.normal(size=ROWS)


def known(x: Any, y: Any, lost: tuple[int, ...]) -> dict[Any, Any]:
    """What a run shows that was given these columns, some of them the same for all."""
    entered = x.copy()
    entered[:, list(lost)] = 1.0
    each = sorted((goes_with(entered[:, k], y, False) for k in range(WIDE) if k not in lost), reverse=True)
    flat = SaturatedFeatures(lost, WIDE, ROWS, told_by_all(entered, y, False), False, tuple(each))
    mean, std, low, high = (float(one) for one in (y.mean(), y.std(), y.min(), y.max()))
    labels = Labels(None, 0, (), None, (), mean=mean, std=std, low=low, high=high)
    return {SaturatedFeatures: flat, Labels: labels}


def written(folder: Path, x: Any, y: Any) -> dict[str, Any]:
    body = "\n".join(",".join(f"{value:.5f}" for value in (*row, answer)) for row, answer in zip(x, y, strict=True))
    (folder / "all.csv").write_text("a,b,c,d,e,answer\n" + body + "\n")
    return dict(read_tables([DataFile("all.csv", 0)], str(folder)))


def test_the_column_is_named_without_which_the_file_tells_no_more_than_what_enters(tmp_path: Path) -> None:
    x, y = rows()
    ((fact, told),) = lost_columns(written(tmp_path, x, y), known(x, y, (3,)))
    assert isinstance(fact, LostColumns)
    assert [one.column for one in fact.columns] == ["d"]
    assert fact.label == "answer"
    assert fact.all_tell > 0.8
    assert fact.others_tell < 0.3
    assert "with d the file tells" in told


@pytest.mark.parametrize("lost", [(), (2,)], ids=["all of them differ", "the one that is the same tells nothing"])
def test_nothing_is_said_where_nothing_that_tells_is_lost(tmp_path: Path, lost: tuple[int, ...]) -> None:
    x, y = rows()
    assert not list(lost_columns(written(tmp_path, x, y), known(x, y, lost)))


def test_a_column_left_out_beside_a_bias_is_a_choice(tmp_path: Path) -> None:
    x, y = rows()
    facts = known(x, y, (3,))
    wider = np.concatenate([x, np.random.default_rng(5).normal(size=(ROWS, 1))], axis=1)
    body = "\n".join(",".join(f"{value:.5f}" for value in (*r, a)) for r, a in zip(wider, y, strict=True))
    (tmp_path / "all.csv").write_text("a,b,c,d,e,f,answer\n" + body + "\n")
    assert not list(lost_columns(dict(read_tables([DataFile("all.csv", 0)], str(tmp_path))), facts))


def test_what_is_the_label_in_other_words_is_left_out_on_purpose(tmp_path: Path) -> None:
    x, y = rows()
    x[:, 3] = 3 * y + 1
    assert not list(lost_columns(written(tmp_path, x, y), known(x, y, (3,))))


@pytest.mark.parametrize(
    ("values", "flat"),
    [
        (np.ones(100), True),
        (np.r_[np.zeros(48), np.ones(48), np.linspace(0.1, 0.9, 4)], True),
        (np.r_[np.zeros(50), np.ones(50)], False),
        (np.arange(100.0), False),
    ],
    ids=["one value", "both limits", "a flag", "all differ"],
)
def test_saturated(values: Any, flat: bool) -> None:
    assert is_saturated(values) is flat


def test_columns_are_given_in_other_units_in_every_file_of_the_kind(tmp_path: Path) -> None:
    for name in ("train.csv", "valid.csv"):
        (tmp_path / name).write_text("a,d\n1,5000\n2,6000\n3,7000\n4,8000\n")
    opened = tuple(DataFile(name, at, columns=("a", "d")) for at, name in enumerate(("train.csv", "valid.csv")))
    lost = LostColumns((LostColumn("train.csv", "d"),), "y", 0.1, 0.9, 0.1, (1,))
    scale = InputScale(0.5, 0.2, 0.0, 1.0, features=(Feature(0.4, 0.2), Feature(1.0, 0.0)))
    facts = {LostColumns: lost, InputScale: scale, DataFiles: DataFiles(opened)}
    cures = list(candidates("data/inputs-destroyed", Grounds(facts, ("x",), str(tmp_path))))
    assert [one.summary for one in cures] == ["d divided by 1000", "d divided by 10"]
    assert [Path(edit.file).name for edit in cures[0].edits] == ["train.csv", "valid.csv"]
    (tmp_path / "train.csv").write_text(cures[0].edits[0].after)
    table = tables.read(tmp_path / "train.csv")
    column = table.column("d") if table is not None else None
    assert column is not None
    assert column.numbers is not None
    assert column.numbers.tolist() == [5.0, 6.0, 7.0, 8.0]


def test_what_is_at_the_lower_limit_is_made_larger(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("a,d\n1,0.005\n2,0.006\n3,0.007\n4,0.008\n")
    lost = LostColumns((LostColumn("train.csv", "d"),), "y", 0.1, 0.9, 0.1, (1,))
    scale = InputScale(0.5, 0.2, 0.0, 1.0, features=(Feature(0.4, 0.2), Feature(0.0, 0.0)))
    found = candidates("data/inputs-destroyed", Grounds({LostColumns: lost, InputScale: scale}, ("x",), str(tmp_path)))
    assert [one.summary for one in found] == ["d times 1000", "d times 10"]
