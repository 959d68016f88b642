"""Facts that are read from the files a run opened, and the edits of data that are made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stetho import tables
from stetho.facts import (
    BadCells,
    ClassCount,
    DataFile,
    DataFiles,
    Labels,
    LeakingColumns,
    RowOrders,
    SharedRows,
    TellingFeature,
)
from stetho.files.again import shared_rows
from stetho.files.caches import endings, in_use, kept_results
from stetho.files.cells import bad_cells
from stetho.files.leaks import leaking_columns
from stetho.files.orders import row_orders
from stetho.fixes import Grounds, cures
from stetho.isolation.edits import edited


def write(path: Path, block: np.ndarray) -> None:
    names = ",".join("abcdefgh"[: block.shape[1] - 1]) + ",late"
    path.parent.mkdir(exist_ok=True)
    np.savetxt(path, block, fmt=["%.6f"] * (block.shape[1] - 1) + ["%d"], delimiter=",", header=names, comments="")


def table_of(rows: int, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    x = chance.normal(size=(rows, 4))
    return np.c_[x, x[:, 0] + chance.normal(size=rows) > 0]


def read(folder: Path, *names: str) -> dict[str, tables.Table]:
    found = {name: tables.read(folder / name) for name in names}
    return {name: table for name, table in found.items() if table is not None}


def test_a_missing_cell_is_named_and_filled(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", table_of(60))
    lines = (tmp_path / "a.csv").read_text().splitlines(keepends=True)
    lines[31] = "," + lines[31].split(",", 1)[1]
    (tmp_path / "a.csv").write_text("".join(lines))
    ((fact, _),) = bad_cells(read(tmp_path, "a.csv"))
    assert isinstance(fact, BadCells)
    assert [(one.column, one.row, one.line) for one in fact.cells] == [("a", 30, 32)]
    (cure,) = cures("data/nonfinite-values", Grounds({BadCells: fact}, ("x",), str(tmp_path)))
    changed = cure.edits[0].after.splitlines(keepends=True)
    assert [at for at, line in enumerate(changed) if line != lines[at]] == [31]
    assert cure.edits[0].where[0].column == "a"


def test_rows_of_the_other_file_are_found_and_left_out(tmp_path: Path) -> None:
    train, held = table_of(200), table_of(80, 1)
    write(tmp_path / "train.csv", np.r_[train, held[:40]])
    write(tmp_path / "held.csv", held)
    ((fact, _),) = shared_rows(read(tmp_path, "train.csv", "held.csv"))
    assert isinstance(fact, SharedRows)
    assert [(one.file, one.other, one.rows, one.first) for one in fact.pairs] == [("train.csv", "held.csv", 40, 200)]
    cure = next(cures("data/split-leakage", Grounds({SharedRows: fact}, ("x",), str(tmp_path))))
    write(tmp_path / "apart.csv", train)
    assert cure.edits[0].after == (tmp_path / "apart.csv").read_text()


def test_rows_of_few_possible_values_are_not_compared(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", np.random.default_rng(0).integers(0, 2, (300, 5)).astype(float))
    assert list(shared_rows(read(tmp_path, "a.csv"))) == []


def test_the_column_that_gives_the_label_away_is_shuffled(tmp_path: Path) -> None:
    block = table_of(600)
    block[:, 2] = 5 * block[:, 4] + np.random.default_rng(2).normal(size=600) / 20
    write(tmp_path / "a.csv", block)
    share = int(block[:, 4].sum())
    counts = sorted((ClassCount(1, share), ClassCount(0, 600 - share)), key=lambda one: -one.count)
    known = {
        TellingFeature: TellingFeature(2, 4, 1.0, 0.3, 0.3, 600, True),
        Labels: Labels(classes=2, counted=600, counts=tuple(counts)),
    }
    ((fact, _),) = leaking_columns(read(tmp_path, "a.csv"), known)
    assert isinstance(fact, LeakingColumns)
    assert [(one.column, one.label) for one in fact.columns] == [("c", "late")]
    (cure,) = cures("data/target-leakage", Grounds({LeakingColumns: fact}, ("x",), str(tmp_path)))
    (tmp_path / "b.csv").write_text(cure.edits[0].after)
    before, after = (np.loadtxt(tmp_path / name, delimiter=",", skiprows=1) for name in ("a.csv", "b.csv"))
    assert sorted(before[:, 2]) == sorted(after[:, 2])
    assert (np.delete(before, 2, 1) == np.delete(after, 2, 1)).all()


def test_a_kept_result_is_taken_away_in_the_copy_only(tmp_path: Path) -> None:
    copy, original = tmp_path / "copy", tmp_path / "original"
    for folder in (copy, original):
        (folder / "cache").mkdir(parents=True)
        np.savez(folder / "cache" / "a.npz", x=np.ones((4, 2)), y=np.ones(4))
    files = DataFiles((DataFile("cache/a.npz", 0), DataFile("cache/b.npz", None, True)))
    assert [one.file for one in kept_results(files)] == ["cache/a.npz"]
    (cure,) = cures("data/stale-cache", Grounds({DataFiles: files}, ("x",), str(original)))
    assert cure.edits[0].where[0].key == "x"
    edited(cure.edits[0], tmp_path, [(str(copy), str(original))])
    assert not (copy / "cache" / "a.npz").exists()
    assert (original / "cache" / "a.npz").exists()


def test_rows_that_stand_elsewhere_are_brought_into_one_order(tmp_path: Path) -> None:
    names = [f"leaf_{i}" for i in range(40)]
    (tmp_path / "sizes.csv").write_text("id,a,b\n" + "".join(f"{n},{i},{i % 7}.5\n" for i, n in enumerate(names)))
    (tmp_path / "kinds.csv").write_text("id,kind\n" + "".join(f"{n},k{n[-1]}\n" for n in sorted(names)))
    ((orders, told),) = row_orders(read(tmp_path, "sizes.csv", "kinds.csv"))
    assert isinstance(orders, RowOrders) and orders.looked_at == 1 and "40 rows" in told
    (one,) = orders.pairs
    assert (one.file, one.column, one.other, one.other_column) == ("sizes.csv", "id", "kinds.csv", "id")
    grounds = Grounds({RowOrders: orders}, (), str(tmp_path))
    cure = next(cures("data/labels-misaligned", grounds))
    assert cure.kind == "data" and cure.edits[0].after.splitlines()[1:] == [f"{n},k{n[-1]}" for n in names]
    assert (tmp_path / "kinds.csv").read_text() == cure.edits[0].before


def test_tables_in_one_order_are_left_alone(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("id,v\n" + "".join(f"r{i},{i}\n" for i in range(40)))
    ((orders, _),) = row_orders(read(tmp_path, "a.csv", "b.csv"))
    assert isinstance(orders, RowOrders) and orders.pairs == () and orders.looked_at == 1


CACHED = """
import os, torch
def load(part, folder):
    path = os.path.join(folder, part + ".pt")
    if os.path.exists(path):
        return torch.load(path)
    made = torch.zeros(3)
    torch.save(made, path)
    return made
"""
RESUMED = """
import os, torch
def train(model, path="last.ckpt"):
    if os.path.exists(path):
        model.load_state_dict(torch.load(path))
    torch.save(model.state_dict(), path)
"""
WRITTEN = """
from pathlib import Path
import numpy as np
import pytest
def report(rows):
    np.save("rows.npy", rows)
def features(root):
    kept = Path(root) / f"{root}_features.npz"
    if not kept.is_file():
        np.savez(kept, x=1)
    return np.load(kept)
"""


def test_a_file_that_is_made_only_where_it_is_missing_is_a_cache(tmp_path: Path) -> None:
    for name, text in (("a.py", CACHED), ("b.py", RESUMED), ("c.py", WRITTEN)):
        (tmp_path / name).write_text(text)
    assert endings([str(tmp_path / "a.py")]) == {".pt"}
    assert endings([str(tmp_path / "b.py")]) == set(), "a state of training is kept to go on from"
    assert endings([str(tmp_path / "c.py")]) == {"_features.npz"}


CONSTANT = """
from pathlib import Path
import pickle
WORDS = Path("built") / "words.pkl"
def words():
    if WORDS.is_file():
        return pickle.load(WORDS.open("rb"))
    with WORDS.open("wb") as f:
        pickle.dump({}, f)
"""
ELSEWHERE = """
import os, numpy as np
def make(source, path):
    np.savez(path, x=np.load(source))
class Rows:
    def __init__(self, root):
        self.kept = os.path.join(root, "rows.npz")
    def load(self):
        if not os.path.exists(self.kept):
            make("raw.npy", self.kept)
        return np.load(self.kept)
"""


def test_a_cache_is_known_by_a_name_that_is_set_elsewhere_and_by_the_function_that_writes_it(tmp_path: Path) -> None:
    for name, text in (("a.py", CONSTANT), ("b.py", ELSEWHERE)):
        (tmp_path / name).write_text(text)
    assert endings([str(tmp_path / "a.py")]) == {"words.pkl"}
    assert endings([str(tmp_path / "b.py")]) == {"rows.npz"}


@pytest.mark.parametrize(
    "line", ["x = np.random.randn(9, 2)", "x = drawn()"], ids=["here", "by a function of the file"]
)
def test_what_is_drawn_by_lot_is_no_cache(tmp_path: Path, line: str) -> None:
    maker = "def drawn():\n    return np.random.permutation(9)\n"
    text = f"def load():\n    if not os.path.exists('x.npz'):\n        {line}\n        np.savez('x.npz', x=x)\n"
    (tmp_path / "a.py").write_text(maker + text)
    assert endings([str(tmp_path / "a.py")]) == set()
    (tmp_path / "a.py").write_text(maker + text.replace(line, "x = np.arange(9)"))
    assert endings([str(tmp_path / "a.py")]) == {"x.npz"}


def test_a_cache_in_use_is_removed_as_a_trial(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "train.pt").write_bytes(b"kept")
    used = DataFiles((DataFile("cache/train.pt", 0, remade=True),))
    assert [one.file for one in in_use(used)] == ["cache/train.pt"]
    assert in_use(DataFiles((DataFile("cache/train.pt", 0, written=True, remade=True),))) == []
    cure = next(cures("data/stale-cache", Grounds({DataFiles: used}, ("python", "t.py"), str(tmp_path), ())))
    assert [edit.file for edit in cure.edits] == [str(tmp_path / "cache" / "train.pt")]


def test_texts_in_two_files_are_known_whatever_their_order_and_case(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    words = [f"w{n}" for n in range(200)]
    texts = [" ".join(chance.choice(words, 7)) for _ in range(120)]
    again = [" ".join(reversed(text.split())).upper() for text in texts[:20]]
    others = [" ".join(chance.choice(words, 7)) for _ in range(30)]
    for name, rows in (("train.jsonl", texts), ("valid.jsonl", [*again, *others])):
        lines = [f'{{"id": "{name[0]}{n}", "text": "{text}", "queue": "q{n % 3}"}}\n' for n, text in enumerate(rows)]
        (tmp_path / name).write_text("".join(lines))
    ((fact, _),) = shared_rows(read(tmp_path, "train.jsonl", "valid.jsonl"))
    assert isinstance(fact, SharedRows)
    assert [(one.file, one.other, one.rows) for one in fact.pairs] == [("train.jsonl", "valid.jsonl", 20)]
