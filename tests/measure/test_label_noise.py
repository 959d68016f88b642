"""What the draw of its labels makes of the loss of a batch, beside losses that were drawn."""

from __future__ import annotations

import math
import random
from pathlib import Path
from statistics import pstdev
from typing import Any

import pytest

from stetho.facts import LossCurve
from stetho.measure.label_noise import label_noise

from .lines import fact, line, read, steps

STEPS = steps(0, [0.1] * 8)


def call(fn: str, **more: Any) -> str:
    body = {"fn": fn, "site": 0, "step": 0, "n": 1, "grad": True, "red": "mean", "norm": False}
    return line("loss-call", **{**body, **more})


def drawn(shares: list[float], size: int) -> tuple[float, float]:
    """Spread of the mean cost over batches that are drawn one by one, and the cost of the rarest class."""
    draw = random.Random(1)
    costs = [-math.log(share) for share in shares]
    batches = [sum(draw.choices(costs, shares, k=size)) / size for _ in range(4000)]
    return pstdev(batches), max(costs) / size


def test_a_rare_yes(tmp_path: Path) -> None:
    found = label_noise(
        read(tmp_path, STEPS, call("binary_cross_entropy_with_logits", m=128, mean=1 / 64, sq=1 / 64, shape=[128]))
    )
    spread, rarest = drawn([1 / 64, 63 / 64], 128)
    assert found is not None and found.spread == pytest.approx(spread, rel=0.06)
    assert found.rarest == pytest.approx(rarest)


def test_classes_of_different_sizes(tmp_path: Path) -> None:
    record = read(tmp_path, STEPS, call("cross_entropy", hist=[50, 12, 2], k=3, shape=[64, 3]))
    spread, rarest = drawn([50 / 64, 12 / 64, 2 / 64], 64)
    curve = fact(LossCurve, record)
    assert curve.label_noise == pytest.approx(spread, rel=0.06) and curve.rarest_label == pytest.approx(rarest)


def test_classes_of_one_size_bring_no_noise(tmp_path: Path) -> None:
    found = label_noise(read(tmp_path, STEPS, call("cross_entropy", hist=[8, 8, 8, 8], k=4, shape=[32, 4])))
    assert found is not None and found.spread == pytest.approx(0, abs=1e-9)


def test_a_heavier_yes_weighs_in_the_noise(tmp_path: Path) -> None:
    body = {"m": 100, "mean": 0.1, "sq": 0.1, "shape": [100]}
    found = label_noise(read(tmp_path, STEPS, call("binary_cross_entropy_with_logits", pw=9.0, **body)))
    # With the weight both classes count alike: the best answer is one half, and a yes costs nine times as much.
    assert found is not None and found.rarest == pytest.approx(9 * math.log(2) / 100)
    assert found.spread == pytest.approx(8 * math.log(2) * 0.3 / 10)


@pytest.mark.parametrize(
    "event",
    [
        call("mse_loss", m=32, mean=0.0, sq=1.0, shape=[32]),
        call("cross_entropy", hist=[32], k=1, shape=[32, 1]),
        call("cross_entropy", hist=[30, 2], k=2, cw=[1.0, 15.0], shape=[32, 2]),
        call("binary_cross_entropy", m=32, mean=0.0, sq=0.0, shape=[32]),
    ],
)
def test_what_has_no_such_noise(tmp_path: Path, event: str) -> None:
    assert label_noise(read(tmp_path, STEPS, event)) is None
