"""Labels that come in parts: which part agrees with nothing, which one is shifted, and which is only harder."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from stetho import tables
from stetho.checks.data.part_labels_shifted import shifted
from stetho.checks.data.part_labels_wrong import wrong
from stetho.facts import LabelParts, Labels
from stetho.facts.data import ClassCount
from stetho.files.agreement import agreed
from stetho.files.parts import label_parts
from stetho.fixes import Grounds, cures

CLASSES = 4
SEEN = Labels(classes=CLASSES, counted=1000, counts=tuple(ClassCount(k, 250) for k in range(CLASSES)))
RNG = np.random.default_rng
Parts = list[tuple[np.ndarray, np.ndarray]]


def sessions(seed: int = 0, count: int = 5, rows: int = 300) -> Parts:
    """Parts of rows around one centre for each class."""
    rng = RNG(seed)
    centres = 1.2 * rng.normal(size=(CLASSES, 12))
    labels = [rng.integers(0, CLASSES, rows) for _ in range(count)]
    return [(centres[y] + rng.normal(size=(rows, 12)), y) for y in labels]


def written(folder: Path, parts: Parts) -> dict[str, tables.Table]:
    """A csv for each part."""
    for k, (x, y) in enumerate(parts):
        lines = [",".join((*(f"{v:.5f}" for v in row), f"class{label}")) for row, label in zip(x, y, strict=True)]
        head = ",".join((*(f"f{i}" for i in range(x.shape[1])), "kind"))
        (folder / f"part{k}.csv").write_text("\n".join((head, *lines)) + "\n")
    return read(folder, [f"part{k}.csv" for k in range(len(parts))])


def read(folder: Path, files: list[str]) -> dict[str, tables.Table]:
    return {file: table for file in files if (table := tables.read(folder / file)) is not None}


def judged(
    found: dict[str, tables.Table], seen: Labels | None = SEEN
) -> tuple[list[str], list[str], LabelParts | None]:
    """The parts that are wrong, those that are shifted, and the fact."""
    facts = [fact for fact, _ in label_parts(found, {} if seen is None else {Labels: seen})]
    fact = facts[0] if facts else None
    assert fact is None or isinstance(fact, LabelParts)
    parts = fact.parts if fact is not None else ()
    return [p.part or p.file for p in parts if wrong(p)], [p.part or p.file for p in parts if shifted(p)], fact


def test_healthy_parts_are_quiet(tmp_path: Path) -> None:
    bad, moved, fact = judged(written(tmp_path, sessions()))
    assert (bad, moved) == ([], [])
    assert fact is not None and fact.looked_at == 5


@pytest.mark.parametrize("share", [0.6, 1.0])
def test_a_part_with_labels_dealt_out_by_lot_is_wrong(tmp_path: Path, share: float) -> None:
    parts = sessions(1)
    x, y = parts[2]
    dealt = np.where(RNG(5).random(len(y)) < share, RNG(6).permutation(y), y)
    parts[2] = (x, dealt)
    assert judged(written(tmp_path, parts))[:2] == (["part2.csv"], [])


def test_several_parts_are_wrong_as_long_as_two_others_agree(tmp_path: Path) -> None:
    parts = sessions(1)
    for k in (1, 3):
        parts[k] = (parts[k][0], RNG(6 + k).permutation(parts[k][1]))
    bad, moved, _ = judged(written(tmp_path, parts))
    assert (sorted(bad), moved) == (["part1.csv", "part3.csv"], [])
    assert sorted(judged(written(tmp_path, parts[:4]))[0]) == ["part1.csv", "part3.csv"]
    # One that nothing agrees with tells nothing of the others.
    assert judged(written(tmp_path, parts[1:4]))[0] == []


def test_labels_in_files_without_a_header_are_parts_of_one_kind(tmp_path: Path) -> None:
    parts = sessions(1)
    parts[2] = (parts[2][0], RNG(6).permutation(parts[2][1]))
    for k, (x, y) in enumerate(parts):
        np.save(tmp_path / f"part{k}.npy", x)
        (tmp_path / f"part{k}.txt").write_text("".join(f"p{k}r{row},{label}\n" for row, label in enumerate(y)))
    files = [f"part{k}.{kind}" for k in range(len(parts)) for kind in ("npy", "txt")]
    bad, _, fact = judged(read(tmp_path, files))
    assert bad == ["part2.txt"] and fact is not None and fact.parts[0].rows == 300


@pytest.mark.parametrize("shift", [1, -1, 3])
def test_a_part_with_shifted_labels_is_shifted_and_is_moved_back(tmp_path: Path, shift: int) -> None:
    parts = sessions(2)
    x, y = parts[3]
    parts[3] = (x, np.roll(y, -shift))
    bad, moved, fact = judged(written(tmp_path, parts))
    assert (bad, moved) == ([], ["part3.csv"])
    assert fact is not None
    cure = next(cures("data/labels-misaligned", Grounds({LabelParts: fact}, (), str(tmp_path))))
    (tmp_path / "part3.csv").write_text(cure.edits[0].after)
    table = tables.read(tmp_path / "part3.csv")
    assert table is not None
    column = table.column("kind")
    assert column is not None and list(column.words or ()) == [f"class{label}" for label in y]


def test_labels_that_are_shifted_from_some_row_on_are_moved_back_from_there(tmp_path: Path) -> None:
    parts = sessions(7)
    x, y = parts[1]
    parts[1] = (x, np.concatenate((y[:120], np.roll(y[120:], -1))))
    bad, moved, fact = judged(written(tmp_path, parts))
    assert (bad, moved) == ([], ["part1.csv"])
    assert fact is not None
    (one,) = [p for p in fact.parts if p.file == "part1.csv"]
    assert one.shift == 1 and 115 <= one.first <= 125 and one.last == 0
    cure = next(cures("data/labels-misaligned", Grounds({LabelParts: fact}, (), str(tmp_path))))
    after = [line.rpartition(",")[2] for line in cure.edits[0].after.splitlines()[1:]]
    assert sum(a != f"class{b}" for a, b in zip(after, y, strict=True)) < 6


def test_labels_in_the_opposite_order_are_found(tmp_path: Path) -> None:
    parts = sessions(3)
    parts[1] = (parts[1][0], parts[1][1][::-1])
    bad, moved, fact = judged(written(tmp_path, parts))
    assert (bad, moved) == ([], ["part1.csv"])
    assert fact is not None and any(p.turned for p in fact.parts)


def blurred(parts: Parts) -> Parts:
    x, y = parts[2]
    return [*parts[:2], (x + 4 * RNG(1).normal(size=x.shape), y), *parts[3:]]


def undecided(parts: Parts) -> Parts:
    x, y = parts[2]
    return [*parts[:2], (0.55 * x + 0.45 * RNG(1).permutation(x), y), *parts[3:]]


def renamed(parts: Parts) -> Parts:
    x, y = parts[2]
    return [*parts[:2], (x, (y + 1) % CLASSES), *parts[3:]]


def mixed(parts: Parts) -> Parts:
    kept = [RNG(k).random(len(y)) < np.where(y == k % CLASSES, 1.0, 0.25) for k, (_, y) in enumerate(parts)]
    return [(x[keep], y[keep]) for (x, y), keep in zip(parts, kept, strict=True)]


def one_class(parts: Parts) -> Parts:
    x, y = parts[2]
    return [*parts[:2], (x, np.zeros_like(y)), *parts[3:]]


@pytest.mark.parametrize("change", [blurred, undecided, renamed, mixed, one_class])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_parts_that_differ_by_nature_are_neither(tmp_path: Path, change: object, seed: int) -> None:
    assert callable(change)
    assert judged(written(tmp_path, change(sessions(seed))), None)[:2] == ([], [])


def test_what_lies_ahead_is_no_shift(tmp_path: Path) -> None:
    """A target that is the next row's input fits the next row better in every part."""
    files = []
    for k in range(5):
        walk = np.zeros(301)
        for i in range(300):
            walk[i + 1] = 0.9 * walk[i] + RNG(1000 * k + i).normal()
        file = tmp_path / f"site{k}.csv"
        file.write_text("now,next\n" + "".join(f"{a:.4f},{b:.4f}\n" for a, b in pairwise(walk)))
        files.append(file.name)
    assert judged(read(tmp_path, files), None)[:2] == ([], [])


def test_inputs_beside_labels_and_rows_that_a_column_names(tmp_path: Path) -> None:
    """One file of texts with their annotators; the rows of one of them are left out."""
    rng = RNG(0)
    rows = []
    for k in range(900):
        label, who = int(rng.integers(0, 3)), "abc"[k % 3]
        words = [f"w{i}" for i in rng.integers(0, 30, 4)] + [f"{label}k{i}" for i in rng.integers(0, 4, 3)]
        rows.append({"text": " ".join(words), "who": who, "tone": int(rng.integers(0, 3)) if who == "b" else label})
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bad, moved, fact = judged(read(tmp_path, ["all.jsonl"]), None)
    assert (bad, moved) == (["b"], [])
    assert fact is not None
    cure = next(cures("data/labels-noisy", Grounds({LabelParts: fact}, (), str(tmp_path))))
    left = [json.loads(line) for line in cure.edits[0].after.splitlines()]
    assert left == [row for row in rows if row["who"] != "b"]


def test_arrays_beside_arrays(tmp_path: Path) -> None:
    parts = sessions(4)
    parts[0] = (parts[0][0], np.roll(parts[0][1], 2))
    for k, (x, y) in enumerate(parts):
        np.save(tmp_path / f"x_{k}.npy", x)
        np.save(tmp_path / f"y_{k}.npy", y)
    files = [f"{name}_{k}.npy" for k in range(5) for name in "xy"]
    bad, moved, fact = judged(read(tmp_path, files))
    assert (bad, moved) == ([], ["y_0.npy"])
    assert fact is not None and fact.parts[0].inputs == "x_0.npy"


def test_agreement_is_what_a_slow_count_says() -> None:
    said, labels = RNG(0).integers(0, 3, 200), RNG(1).integers(0, 3, 200)
    same = sum(int(a == b) for a, b in zip(said, labels, strict=True)) / 200
    by_lot = sum((sum(said == k) / 200) * (sum(labels == k) / 200) for k in range(3))
    assert math.isclose(agreed(said, labels, 3, 1.0)[0], (same - by_lot) / (1 - by_lot))
