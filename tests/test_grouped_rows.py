"""Columns that name what rows are of, told from those that name something else."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stetho import tables
from stetho.checks.data.siblings_held_out import TORN
from stetho.facts import GroupedRows, Labels, Siblings
from stetho.facts.data import ClassCount
from stetho.files.groups import grouped_rows

RNG = np.random.default_rng
SEEN = Labels(classes=3, counted=900, counts=tuple(ClassCount(k, 300) for k in range(3)))
NEAR = Siblings(**TORN)


def found(folder: Path, *, siblings: bool = True) -> GroupedRows | None:
    files = sorted(path.name for path in folder.iterdir())
    read = {file: table for file in files if (table := tables.read(folder / file)) is not None}
    known = {Labels: SEEN, **({Siblings: NEAR} if siblings else {})}
    facts = [one for one, _ in grouped_rows(read, known)]
    assert all(isinstance(one, GroupedRows) for one in facts)
    return facts[0] if facts else None  # type: ignore[return-value]


def written(folder: Path, name: str, *, apart: float = 0.05, own: bool = False, beside: bool = False) -> None:
    """Four rows of each of ninety plants, by their names or beside a file of their inputs."""
    rng = RNG(0)
    of = rng.permutation(np.repeat(np.arange(90), 4))
    x = rng.normal(size=(90, 8))[of] + apart * rng.normal(size=(360, 8))
    kinds = rng.integers(0, 3, 360) if own else (np.arange(90) % 3)[of]
    names = [name.format(plant=plant, row=row) for row, plant in enumerate(of)]
    if beside:
        np.save(folder / "x.npy", x)
    cells = [[f"{v:.5f}" for v in row] for row in x] if not beside else [[] for _ in x]
    lines = [",".join((n, *c, f"kind{k}")) for n, c, k in zip(names, cells, kinds, strict=True)]
    head = ",".join((*(f"c{k}" for k in range(name.count(",") + 1)), *(f"f{k}" for k in range(len(cells[0]))), "kind"))
    (folder / "rows.csv").write_text("\n".join((head, *lines)) + "\n")


def test_a_column_that_names_the_plant(tmp_path: Path) -> None:
    written(tmp_path, "s{row},p{plant}", beside=True)
    one = found(tmp_path)
    assert one is not None and (one.file, one.column, one.front, one.groups, one.rows) == (
        "rows.csv",
        "c1",
        False,
        90,
        360,
    )
    assert one.tight == 1.0 and one.one_label == 1.0 and one.label == "kind"
    assert found(tmp_path, siblings=False) is None


def test_the_front_of_a_name(tmp_path: Path) -> None:
    written(tmp_path, "plant{plant}_{row}")
    one = found(tmp_path)
    assert one is not None and (one.column, one.front, one.groups) == ("c0", True, 90) and one.tight == 1.0


def test_rows_of_a_plant_that_differ_or_answer_for_themselves(tmp_path: Path) -> None:
    written(tmp_path, "{plant}", apart=1.0)
    one = found(tmp_path)
    assert one is None or one.tight < 0.6
    written(tmp_path, "p{plant}", own=True)
    one = found(tmp_path)
    assert one is not None and one.one_label < 0.8


def test_names_of_rows_and_of_classes_name_no_groups(tmp_path: Path) -> None:
    written(tmp_path, "s{row}")
    assert found(tmp_path) is None
