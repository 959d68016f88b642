"""The limits and the spread of what meets in a loss that is written by hand."""

from __future__ import annotations

import math

import torch

from stetho.observer.seen.fit import ranges


def test_limits_and_spread_are_those_of_the_numbers() -> None:
    given, target = torch.tensor([0.5, -2.0, 1.0]), torch.tensor([1.0, 3.0, 8.0])
    found = ranges(given, target)
    mean = (1 + 3 + 8) / 3
    assert found["low"] == -2.0 and found["high"] == 1.0
    assert found["tlow"] == 1.0 and found["thigh"] == 8.0
    assert math.isclose(found["tmean"], mean)
    assert math.isclose(found["tstd"], math.sqrt(sum((v - mean) ** 2 for v in (1, 3, 8)) / 3))


def test_classes_have_no_spread() -> None:
    assert "tstd" not in ranges(torch.tensor([0.5, 0.1]), torch.tensor([1, 3]))
    assert "tstd" not in ranges(torch.tensor([0.5]), torch.tensor([1.0]))
