"""Clipping, skipped steps, estimated norms, and gradients parameter by parameter."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from stetho.facts import Clipping, GradientNorms, LayerGradients, SkippedSteps

from .lines import INF, NAN, fact, line, read, steps, summary, told


def test_clipping_fires_when_the_norm_is_above_its_limit(tmp_path: Path) -> None:
    clips = [[5.0, 1.0], None, [1.0, 1.0], [INF, 2.0]]
    record = read(tmp_path, steps(0, [1.0] * 4, clip=clips))
    clipping = fact(Clipping, record)
    assert (clipping.calls, clipping.fired, clipping.steps_in_all) == (3, 2, 4)
    assert (clipping.limit_first, clipping.limit_last) == (1.0, 2.0)
    assert clipping.steps == (0, 2, 3)
    assert (clipping.norms, clipping.limits) == ((5.0, 1.0, INF), (1.0, 1.0, 2.0))
    assert "2 of 3 steps" in summary(Clipping, record)


def test_nothing_clips(tmp_path: Path) -> None:
    assert Clipping not in told(read(tmp_path, steps(0, [1.0])))


def test_a_long_series_is_thinned_and_keeps_its_ends(tmp_path: Path) -> None:
    clips = [[float(i), 1000.0] for i in range(3000)]
    clipping = fact(Clipping, read(tmp_path, steps(0, [1.0] * 3000, clip=clips)))
    assert len(clipping.steps) <= 201 and (clipping.steps[0], clipping.steps[-1]) == (0, 2999)
    assert clipping.norms == tuple(float(i) for i in clipping.steps)
    assert (clipping.calls, clipping.fired) == (3000, 1999)


def test_steps_left_out_by_a_scaler(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        line("skipped", o=0, i=0, scale=65536.0),
        line("skipped", o=0, i=0, scale=32768.0),
        steps(0, [1.0] * 5),
        line("skipped", o=0, i=5, scale=16384.0),
        line("scaler", scale=20000.0, step=5),
    )
    skipped = fact(SkippedSteps, record)
    assert (skipped.skipped, skipped.taken, skipped.longest, skipped.steps) == (3, 5, 2, (0, 0, 5))
    assert (skipped.scale_first, skipped.scale_last, skipped.scale_lowest) == (65536.0, 20000.0, 16384.0)


def test_a_scaler_that_skips_nothing(tmp_path: Path) -> None:
    skipped = fact(SkippedSteps, read(tmp_path, steps(0, [1.0]), line("scaler", scale=1.0, step=0)))
    assert (skipped.skipped, skipped.longest) == (0, 0)


def test_without_a_scaler_nothing_is_said_about_skipping(tmp_path: Path) -> None:
    assert SkippedSteps not in told(read(tmp_path, steps(0, [1.0])))


def test_estimated_norms_are_counted(tmp_path: Path) -> None:
    record = read(tmp_path, steps(0, [1.0] * 3), steps(3, [1.0] * 2, est=True, g=[2.0, None]))
    norms = fact(GradientNorms, record)
    assert (norms.steps, norms.estimated) == ((0, 1, 2, 3), 1)


def test_no_spike_is_lost_in_a_long_series(tmp_path: Path) -> None:
    values = [1.0] * 9000
    values[4321], values[7000] = 500.0, NAN
    norms = fact(GradientNorms, read(tmp_path, steps(0, [1.0] * 9000, g=values)))
    assert len(norms.norms) <= 4000
    assert norms.norms[norms.steps.index(4321)] == 500.0
    assert math.isnan(norms.norms[norms.steps.index(7000)])


# --- parameter by parameter ----------------------------------------------------------------------------------


def sample(index: int, g: list[float | None], **more: Any) -> str:
    return line("sample", **{"o": 0, "i": index, "g": g, **more})


NAMES = line("parameters", o=0, names=["a.weight", "a.bias"], sizes=[6, 2], dtypes=["float32"] * 2, devices=["cpu"] * 2)


def test_each_parameter_over_the_samples(tmp_path: Path) -> None:
    random_ = Random(1)
    rows = [[random_.random(), random_.random()] for _ in range(7)]
    samples = [sample(5 * i, list(row)) for i, row in enumerate(rows)]
    record = read(tmp_path, NAMES, *samples, steps(0, [1.0]))
    gradients = fact(LayerGradients, record)
    assert gradients.steps == tuple(range(0, 35, 5))
    for position, (layer, name, size) in enumerate(zip(gradients.layers, ("a.weight", "a.bias"), (6, 2), strict=True)):
        column = [row[position] for row in rows]
        assert (layer.name, layer.size, layer.optimizer, layer.samples) == (name, size, 0, 7)
        assert (layer.first, layer.last, layer.median) == (column[0], column[-1], median(column))
        assert (layer.lowest, layer.highest) == (min(column), max(column))
        assert (layer.absent, layer.zero, layer.nonfinite) == (0, 0, 0)


def test_missing_zero_and_bad_gradients_are_counted(tmp_path: Path) -> None:
    samples = [sample(0, [None, 0.0]), sample(1, [None, 2.0]), sample(2, [None, NAN])]
    absent, mixed = fact(LayerGradients, read(tmp_path, NAMES, *samples, steps(0, [1.0]))).layers
    assert (absent.absent, absent.samples) == (3, 3)
    assert (absent.first, absent.median, absent.highest) == (None, None, None)
    assert (mixed.zero, mixed.nonfinite, mixed.absent) == (1, 1, 0)
    assert (mixed.first, mixed.median, mixed.lowest, mixed.highest) == (0.0, 2.0, 0.0, 2.0)
    assert mixed.last is not None and math.isnan(mixed.last)


def test_one_sample_is_enough(tmp_path: Path) -> None:
    (layer,) = fact(LayerGradients, read(tmp_path, sample(0, [0.5]), steps(0, [1.0]))).layers
    assert (layer.name, layer.size, layer.median) == ("parameter 0", None, 0.5)


def test_optimizers_have_their_own_parameters(tmp_path: Path) -> None:
    other = line("parameters", o=1, names=["b.weight"], sizes=[3], dtypes=["float32"], devices=["cpu"])
    samples = [sample(0, [1.0], o=1), sample(0, [2.0, 3.0])]
    layers = fact(LayerGradients, read(tmp_path, NAMES, other, *samples, steps(0, [1.0]))).layers
    assert [(one.optimizer, one.name, one.first) for one in layers] == [
        (0, "a.weight", 2.0), (0, "a.bias", 3.0), (1, "b.weight", 1.0),
    ]  # fmt: skip


def test_parameters_that_join_later_have_fewer_samples(tmp_path: Path) -> None:
    samples = [sample(0, [1.0]), sample(1, [1.0, 4.0])]
    layers = fact(LayerGradients, read(tmp_path, NAMES, *samples, steps(0, [1.0]))).layers
    assert [(one.name, one.samples) for one in layers] == [("a.weight", 2), ("a.bias", 1)]


@pytest.mark.parametrize("nothing", ["", line("sample", o=0, i=0, ur=0.1), line("sample", o=0, i=0, g=[])])
def test_nothing_was_sampled(tmp_path: Path, nothing: str) -> None:
    assert LayerGradients not in told(read(tmp_path, nothing, steps(0, [1.0])))
