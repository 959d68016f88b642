"""Labels of a training file that are wrong where those of the held-out file are right, told from noise in both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stetho import tables
from stetho.checks.data.training_labels_wrong import wrong
from stetho.facts import DataFile, DataFiles, Labels, NoisyLabels
from stetho.facts.data import ClassCount
from stetho.files.noise import noisy_labels
from stetho.fixes import Grounds, cures

CLASSES, SIZES = 4, {"train": 900, "dev": 300}
SEEN = Labels(classes=CLASSES, counted=900, counts=tuple(ClassCount(k, 225) for k in range(CLASSES)))
RNG = np.random.default_rng
Noise = dict[str, float]


def samples(
    noise: Noise, *, apart: float = 1.0, easy: float = 0.0
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Inputs around the centre of their class, given labels, and right ones."""
    rng = RNG(0)
    centres = rng.normal(size=(CLASSES, 12))
    found = {}
    for name, count in SIZES.items():
        right = rng.integers(0, CLASSES, count)
        x = (apart + (easy if name == "dev" else 0.0)) * centres[right] + rng.normal(size=(count, 12))
        given = np.where(rng.random(count) < noise.get(name, 0.0), rng.integers(0, CLASSES, count), right)
        found[name] = (x, given, right)
    return found


def read(folder: Path) -> dict[str, tables.Table]:
    files = sorted(path.name for path in folder.iterdir())
    return {file: table for file in files if (table := tables.read(folder / file)) is not None}


def found(folder: Path, seen: Labels = SEEN) -> NoisyLabels | None:
    facts = [one for one, _ in noisy_labels(read(folder), {Labels: seen})]
    assert all(isinstance(one, NoisyLabels) for one in facts)
    return facts[0] if facts else None  # type: ignore[return-value]


def as_csv(folder: Path, noise: Noise, **more: float) -> NoisyLabels | None:
    for name, (x, given, _) in samples(noise, **more).items():
        lines = [",".join((*(f"{v:.4f}" for v in row), f"k{label}")) for row, label in zip(x, given, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join((",".join(f"c{i}" for i in range(13)), *lines)) + "\n")
    return found(folder)


@pytest.mark.parametrize("share", [0.4, 0.6])
def test_labels_that_are_wrong_in_training_only(tmp_path: Path, share: float) -> None:
    one = as_csv(tmp_path, {"train": share})
    assert one is not None and wrong(one)
    assert (one.file, one.others, one.column, one.classes) == ("train.csv", ("dev.csv",), "c12", CLASSES)


@pytest.mark.parametrize(
    ("noise", "more"),
    [
        ({}, {}),
        ({"train": 0.45, "dev": 0.45}, {}),
        ({"dev": 0.5}, {}),
        ({}, {"apart": 0.35}),
        ({"train": 0.05}, {}),
        ({"train": 0.2, "dev": 0.2}, {"easy": 0.8, "apart": 0.5}),
    ],
    ids=["clean", "noisy by nature", "noisy where held out", "hard by nature", "a few", "held-out rows that are easy"],
)
def test_what_is_no_noise_of_training_alone(tmp_path: Path, noise: Noise, more: dict[str, float]) -> None:
    one = as_csv(tmp_path, noise, **more)
    assert one is None or not wrong(one)


def test_rows_that_are_contradicted_most_are_left_out_with_their_inputs(tmp_path: Path) -> None:
    made = samples({"train": 0.5})
    for name, (x, given, _) in made.items():
        np.save(tmp_path / f"{name}_x.npy", x)
        np.save(tmp_path / f"{name}_y.npy", given)
    one = found(tmp_path)
    assert one is not None and wrong(one) and (one.file, one.inputs) == ("train_y.npy", "train_x.npy")
    files = DataFiles(tuple(DataFile(file, k, False, 0) for k, file in enumerate(read(tmp_path))))
    grounds = Grounds({NoisyLabels: one, DataFiles: files, Labels: SEEN}, (), str(tmp_path))
    (cure,) = cures("data/labels-noisy", grounds)
    assert cure.alters == "cleaned" and len(cure.edits) == 2
    for edit in cure.edits:
        Path(edit.file).write_bytes(edit.after.encode("utf-8", "surrogateescape"))
    x, given, right = made["train"]
    left_x, left = np.load(tmp_path / "train_x.npy"), np.load(tmp_path / "train_y.npy")
    assert len(left) == len(left_x) == 900 - one.contradicted
    at = [int(np.flatnonzero((x == row).all(axis=1))[0]) for row in left_x]
    assert (given[at] == left).all(), "inputs and labels go together"
    assert (right[at] != left).mean() < 0.5 * (right != given).mean()


def test_texts_without_a_header(tmp_path: Path) -> None:
    rng = RNG(0)
    words = [[f"{'abcd'[k]}{n}" for n in range(40)] for k in range(CLASSES)]
    for name, count in SIZES.items():
        lines = []
        for k in rng.integers(0, CLASSES, count):
            text = " ".join(rng.choice(words[k if rng.random() < 0.6 else rng.integers(0, CLASSES)]) for _ in range(8))
            noisy = name == "train" and rng.random() < 0.45
            lines.append(f"topic{rng.integers(0, CLASSES) if noisy else k}\t{text}\n")
        (tmp_path / f"{name}.tsv").write_text("".join(lines))
    one = found(tmp_path)
    assert one is not None and wrong(one) and one.file == "train.tsv" and one.column == "0"


def test_nothing_is_said_of_numbers_or_of_unseen_labels(tmp_path: Path) -> None:
    as_csv(tmp_path, {"train": 0.5})
    assert found(tmp_path, Labels(classes=9, counted=900, counts=tuple(ClassCount(k, 100) for k in range(9)))) is None
    assert found(tmp_path, Labels(classes=None, counted=900, counts=(), mean=0.0, std=1.0, low=-2.0, high=2.0)) is None
