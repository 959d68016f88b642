"""What simple models reach on the samples that were kept, beside what the network has reached."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from stetho.facts import Reach
from stetho.measure.reach import squared_distances

from .lines import call, fact, line, packed, read, steps, told

Rows = list[list[float]]


def kept(rows: Rows, labels: Rows, *, whole: bool = True) -> str:
    x, y = (packed([v for row in one for v in row], len(one), len(one[0])) for one in (rows, labels))
    return line("pairs", x=x, y=y, n=len(rows), whole=whole, discrete=False)


def reach(folder: Path, rows: Rows, labels: Rows, *calls: str, whole: bool = True) -> Reach:
    return fact(Reach, read(folder, steps(0, [1.0] * 20), *calls, kept(rows, labels, whole=whole)))


def blobs(size: int = 300) -> tuple[Rows, Rows]:
    chance = Random(0)
    labels = [float(chance.random() < 0.5) for _ in range(size)]
    return [[chance.gauss(6 * y, 1), chance.gauss(0, 1)] for y in labels], [[y] for y in labels]


def calls(accuracy: float, count: int = 6, **more: Any) -> list[str]:
    body = {"k": 2, "shape": [64, 2], "acc": accuracy, "hist": [32, 32], **more}
    return [call(step=i, **body) for i in range(count)]


def test_a_linear_model_tells_two_far_groups_apart(tmp_path: Path) -> None:
    found = reach(tmp_path, *blobs(), *calls(0.55))
    assert found.measure == "accuracy" and found.reached == pytest.approx(0.55)
    assert found.simple > 0.99 and found.linear > 0.99 and found.samples == 300
    assert found.answers == 5 * 64


def test_labels_without_a_rule_are_reached_by_nothing(tmp_path: Path) -> None:
    rows, labels = blobs()
    Random(1).shuffle(labels)
    assert reach(tmp_path, rows, labels, *calls(0.55)).simple < 0.62


def test_numbers_are_compared_by_the_variance_that_is_explained(tmp_path: Path) -> None:
    chance = Random(2)
    rows = [[chance.gauss(0, 1), chance.gauss(0, 1)] for _ in range(300)]
    labels = [[3 * a - b + chance.gauss(0, 0.1)] for a, b in rows]
    given = [call("mse_loss", shape=[32], tshape=[32], r2=0.25, step=10 + i) for i in range(5)]
    found = reach(tmp_path, rows, labels, *given, whole=False)
    assert found.measure == "explained variance" and found.reached == pytest.approx(0.25)
    assert found.simple > 0.95 and found.model.startswith("linear")


@pytest.mark.parametrize(
    "given",
    [
        pytest.param([*calls(0.5), *calls(0.5, site=1)], id="two losses"),
        pytest.param([*calls(0.5, hist=[60, 4]), *calls(0.5, hist=[4, 60])], id="other labels later"),
    ],
)
def test_what_is_not_one_task_has_no_one_level(tmp_path: Path, given: list[str]) -> None:
    record = read(tmp_path, steps(0, [1.0] * 20), *given, kept(*blobs()))
    assert Reach not in told(record)


def test_two_losses_of_one_line_are_not_one_task(tmp_path: Path) -> None:
    terms = [[[0, 0.4], [0, 0.6]]] * 20
    record = read(tmp_path, steps(0, [1.0] * 20, terms=terms), *calls(0.5), kept(*blobs()))
    assert Reach not in told(record)
    micro = read(tmp_path, steps(0, [1.0] * 20, terms=terms, bw=[2] * 20), *calls(0.5), kept(*blobs()))
    assert Reach in told(micro)


def test_what_bends_is_reached_as_well(tmp_path: Path) -> None:
    chance = Random(3)
    rows = [[chance.uniform(-2, 2) for _ in range(4)] for _ in range(300)]
    labels = [[math.sin(2 * a) * b + chance.gauss(0, 0.05)] for a, b, *_ in rows]
    given = [call("mse_loss", shape=[32], tshape=[32], r2=0.05, step=10 + i) for i in range(5)]
    found = reach(tmp_path, rows, labels, *given, whole=False)
    assert found.model.startswith("kernel") and found.simple > 0.7 > found.linear + 0.5


def test_distances_are_those_of_the_definition() -> None:
    one, two = np.random.default_rng(4).normal(size=(5, 3)), np.random.default_rng(5).normal(size=(4, 3))
    slow = [[sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) for q in two] for p in one]
    assert squared_distances(one, two) == pytest.approx(np.array(slow))
