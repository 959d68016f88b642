"""Near copies of held-out samples among the training samples, told from clusters, steps of measuring and chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stetho.facts import Siblings
from stetho.measure.siblings import compared, gap_in, shortest_tree

from .lines import fact, read, steps
from .test_held_out import rows

RNG = np.random.default_rng
STEPS = steps(0, [1.0] * 40)


def things(count: int, each: int, width: int = 10, apart: float = 0.05, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Several near copies of each thing, and which thing each is of."""
    rng = RNG(seed)
    of = np.repeat(np.arange(count), each)
    return rng.normal(size=(count, width))[of] + apart * rng.normal(size=(count * each, width)), of


def test_copies_of_one_thing_on_both_sides(tmp_path: Path) -> None:
    x, _ = things(80, 5)
    x = RNG(1).permutation(x)
    events = [rows(n, "train", x[16 * n : 16 * n + 16].tolist()) for n in range(20)]
    found = fact(Siblings, read(tmp_path, STEPS, *events, rows(39, "eval", x[320:].tolist())))
    assert (found.trained, found.held_out, found.groups, found.largest) == (320, 80, 80, 5)
    assert found.with_training >= 78 and found.near < 0.5 < found.between < found.gap
    assert 3 < found.of_training < 5


def test_whole_things_held_out_have_no_copies_in_training() -> None:
    x, of = things(80, 5)
    found = compared(x[of < 64], x[of >= 64])
    assert found is not None and found.groups == 80 and found.with_training == 0


@pytest.mark.parametrize(
    "x",
    [
        RNG(0).normal(size=(400, 10)),
        RNG(0).normal(size=(400, 4)).round(1),
        RNG(0).integers(0, 2, size=(400, 24)).astype(float),
        things(8, 50)[0],
        RNG(0).random((400, 1)) * np.ones(5),
        RNG(0).standard_t(2, size=(400, 6)),
        np.cumsum(RNG(0).normal(size=(400, 6)), axis=0),
        things(80, 5, apart=0.6)[0],
    ],
    ids=["even", "rounded", "marks", "a few clusters", "a line", "heavy tails", "a walk", "loose groups"],
)
def test_what_comes_in_no_small_groups(x: np.ndarray) -> None:
    x = RNG(1).permutation(x)
    found = compared(x[:300], x[300:])
    assert found is None, found


def test_equal_samples_are_no_near_copies() -> None:
    x = np.repeat(RNG(0).normal(size=(80, 10)), 5, axis=0)
    assert compared(RNG(1).permutation(x)[:300], RNG(2).permutation(x)[:100]) is None


def test_the_shortest_tree_is_that_of_trying_all() -> None:
    x = RNG(3).normal(size=(30, 4))
    far = np.linalg.norm(x[:, None] - x[None], axis=2)
    inside, total = {0}, 0.0
    while len(inside) < len(x):
        length, at = min((far[a, b], b) for a in inside for b in set(range(len(x))) - inside)
        inside.add(at)
        total += length
    _, lengths = shortest_tree(x)
    assert abs(lengths.sum() - total) < 1e-9


def test_a_gap_has_many_on_both_sides() -> None:
    assert gap_in(np.sort(np.r_[np.full(60, 0.1), np.full(40, 1.0)])) == (0.1, 1.0)
    assert gap_in(np.sort(np.r_[np.full(95, 0.1), np.full(5, 1.0)])) is None
    assert gap_in(np.linspace(0.5, 1.0, 100)) is None
