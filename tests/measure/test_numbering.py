"""The numbers of classes under which answers in evaluation would be right."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from stetho.facts import ClassNumberings
from stetho.measure.numbering import assigned

from .lines import TRAIN, fact, line, read, steps, summary, told

STEPS = steps(0, [1.0] * 40)


def evaluated(table: list[list[int]], *, step: int = 40, **more: Any) -> str:
    """An evaluation with so many answers of each class to samples of each."""
    taken = [[k, j, n] for k, row in enumerate(table) for j, n in enumerate(row) if n]
    of = [sum(row) for row in table]
    body = {"step": step, "site": 0, "fn": "cross_entropy", "calls": 4, "n": sum(of), "loss": 1.0, "taken": taken}
    return line("evaluation", **{**body, "of": of, **more})


def rings(folder: Path, *events: str) -> list[tuple[int, int, int]]:
    (found,) = fact(ClassNumberings, read(folder, STEPS, *events)).lines
    return [(one.label, one.answer, one.cycle) for one in found.moved]


def test_the_largest_sum_is_found_for_any_table() -> None:
    draw = np.random.default_rng(0)
    for size in (1, 2, 3, 5, 6):
        for _ in range(30):
            table = draw.integers(0, 9, (size, size)).astype(float)
            best = assigned(table)
            assert sorted(best) == list(range(size))
            sums = [sum(table[k, way[k]] for k in range(size)) for way in itertools.permutations(range(size))]
            assert sum(table[k, best[k]] for k in range(size)) == max(sums)


def test_two_classes_that_are_taken_for_each_other(tmp_path: Path) -> None:
    tables = [[[90, 5, 5], [4, 3, 93], [6, 90, 4]], [[50, 25, 25], [30, 40, 30], [30, 30, 40]]]
    first, last = evaluated(tables[1], step=20), evaluated(tables[0])
    (found,) = fact(ClassNumberings, read(tmp_path, STEPS, first, last)).lines
    assert (found.classes, found.samples, found.where, found.several) == (3, 300, TRAIN, False)
    assert (round(found.right, 4), round(found.renumbered, 4)) == (round(97 / 300, 4), round(273 / 300, 4))
    assert [(one.label, one.answer, one.given, one.right, one.moved) for one in found.moved] == [
        (1, 2, 100, 3, 93),
        (2, 1, 100, 4, 90),
    ]
    words = summary(ClassNumberings, read(tmp_path, STEPS, last))
    assert "32% are right; 91% with class 1 as 2, 2 as 1" in words


def test_rings_of_classes_are_told_apart(tmp_path: Path) -> None:
    table = [[0, 50, 0, 0, 0], [0, 0, 50, 0, 0], [50, 0, 0, 0, 0], [0, 0, 0, 0, 50], [0, 0, 0, 50, 0]]
    assert rings(tmp_path, evaluated(table)) == [(0, 1, 0), (1, 2, 0), (2, 0, 0), (3, 4, 1), (4, 3, 1)]


def test_classes_that_are_confused_keep_their_numbers(tmp_path: Path) -> None:
    assert rings(tmp_path, evaluated([[50, 52, 0], [55, 45, 0], [0, 0, 100]])) == []
    assert rings(tmp_path, evaluated([[25, 75, 0], [70, 30, 0], [0, 0, 100]])) == []
    assert rings(tmp_path, evaluated([[0, 3, 0], [3, 0, 0], [0, 0, 100]])) == []
    # All of one class are taken for another one, which keeps its own.
    assert rings(tmp_path, evaluated([[0, 100, 0], [0, 100, 0], [0, 0, 100]])) == []


def test_places_of_one_sample_count_as_one(tmp_path: Path) -> None:
    table = [[100, 1900], [1800, 200]]
    assert rings(tmp_path, evaluated(table)) == [(0, 1, 0), (1, 0, 0)]
    assert rings(tmp_path, evaluated(table, n=8)) == []


def test_several_classes_at_once(tmp_path: Path) -> None:
    table = [[80, 20, 10], [15, 5, 60], [15, 65, 4]]
    event = evaluated(table, fn="binary_cross_entropy_with_logits", of=[90, 65, 70], n=150)
    (found,) = fact(ClassNumberings, read(tmp_path, STEPS, event)).lines
    assert found.several and [(one.label, one.answer) for one in found.moved] == [(1, 2), (2, 1)]


def test_evaluations_that_count_no_classes(tmp_path: Path) -> None:
    event = line("evaluation", step=40, site=0, fn="mse_loss", calls=1, n=10, loss=0.5, right=None)
    assert ClassNumberings not in told(read(tmp_path, STEPS, event))
    assert ClassNumberings not in told(read(tmp_path, STEPS, evaluated([[0, 0], [0, 0]])))
