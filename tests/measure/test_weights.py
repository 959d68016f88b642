"""Real changes, values and moments of the parameters, and what the layers put out."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from stetho.facts import Activations, LayerUpdates, OptimizerState, UpdateRatios, WeightStatistics

from .lines import INF, MAKE, NAN, fact, line, read, steps, summary, told

NAMES = line("parameters", o=0, names=["w", "b"], sizes=[4, 9], dtypes=["float32"] * 2, devices=["cpu"] * 2)


def sample(index: int, **more: Any) -> str:
    return line("sample", **{"o": 0, "i": index, **more})


def test_the_change_of_a_step_is_that_of_its_sample(tmp_path: Path) -> None:
    record = read(tmp_path, sample(0, ur=0.1), sample(2, ur=NAN), steps(0, [1.0] * 3))
    updates = fact(UpdateRatios, record)
    assert (updates.steps, updates.ratios, updates.rates) == ((0, 2), (0.1, INF), (0.1, 0.1))


def test_changes_parameter_by_parameter(tmp_path: Path) -> None:
    rows = [[0.1, None], [0.3, 0.0], [0.2, 0.0]]
    record = read(tmp_path, NAMES, *(sample(i, u=row) for i, row in enumerate(rows)), steps(0, [1.0]))
    moving, still = fact(LayerUpdates, record).layers
    assert (moving.name, moving.size, moving.samples, moving.unchanged) == ("w", 4, 3, 0)
    assert (moving.first, moving.last, moving.highest) == (0.1, 0.2, 0.3)
    assert moving.median == median([0.1, 0.3, 0.2])
    assert (still.samples, still.unchanged, still.first) == (2, 2, 0.0)


def test_a_step_that_loses_a_parameter(tmp_path: Path) -> None:
    (layer,) = fact(LayerUpdates, read(tmp_path, sample(0, u=[0.1]), sample(1, u=[NAN]), steps(0, [1.0]))).layers
    assert (layer.nonfinite, layer.highest, layer.median) == (1, 0.1, INF)


def test_changes_that_are_never_known_are_no_fact(tmp_path: Path) -> None:
    assert LayerUpdates not in told(read(tmp_path, sample(0, u=[None, None]), steps(0, [1.0])))


def test_weights_early_and_late(tmp_path: Path) -> None:
    first = sample(0, w=[2.0, 3.0], wm=[0.1, 0.2], ws=[0.5, 0.6], wx=[1.0, 1.5])
    last = sample(9, w=[4.0, 5.0], wm=[0.3, None], ws=[0.7, 0.8], wx=[9.0, INF])
    record = read(tmp_path, NAMES, first, last, steps(0, [1.0]))
    weights = fact(WeightStatistics, record)
    one, two = weights.layers
    assert weights.steps == (0, 9)
    assert (one.norm_first, one.norm_last, one.mean_first, one.mean_last) == (2.0, 4.0, 0.1, 0.3)
    assert (one.std_first, one.std_last, one.largest_first, one.largest_last) == (0.5, 0.7, 1.0, 9.0)
    assert (two.mean_first, two.mean_last, two.largest_last) == (0.2, 0.2, INF)
    assert "9" in summary(WeightStatistics, record)


def test_parameters_with_the_same_name_stay_apart(tmp_path: Path) -> None:
    names = line("parameters", o=0, names=["x", "x"], sizes=[1, 1], dtypes=["f", "f"], devices=["cpu", "cpu"])
    record = read(tmp_path, names, sample(0, w=[1.0, 2.0], wm=[0.1, 0.2]), steps(0, [1.0]))
    assert [(one.norm_first, one.mean_first) for one in fact(WeightStatistics, record).layers] == [
        (1.0, 0.1),
        (2.0, 0.2),
    ]


def test_moments_stand_beside_the_gradient_per_element(tmp_path: Path) -> None:
    samples = [
        sample(0, g=[8.0, 8.0], m1=[1.0, 1.0], m2=[1.0, 1.0], age=1),
        sample(5, g=[2.0, None], m1=[1.0, 6.0], m2=[0.25, None], age=6),
        sample(6, g=[1.0, 1.0]),
    ]
    state = fact(OptimizerState, read(tmp_path, NAMES, *samples, steps(0, [1.0])))
    assert (state.optimizer, state.steps, state.ages, state.moments_step) == ("SGD", (0, 5), (1, 6), 5)
    one, two = state.moments
    assert (one.name, one.gradient, one.first, one.second) == ("w", 2.0 / math.sqrt(4), 1.0 / math.sqrt(4), 0.25)
    assert (two.gradient, two.first, two.second) == (None, 6.0 / math.sqrt(9), None)


def test_a_plain_optimizer_has_no_state(tmp_path: Path) -> None:
    assert OptimizerState not in told(read(tmp_path, sample(0, g=[1.0]), steps(0, [1.0])))


def test_layers_early_and_late(tmp_path: Path) -> None:
    early = [["net.relu", "ReLU", 0.5, 0.4, 0.0, None, 0, 1], ["net.tanh", "Tanh", 0.0, 0.9, None, 0.1, 0, None]]
    late = [["net.relu", "ReLU", 0.1, 0.2, 0.75, None, 3, 1], ["net.tanh", "Tanh", NAN, NAN, None, 0.6, 4, None]]
    rows = [line("activations", i=0, layers=early), line("activations", i=20, layers=late)]
    record = read(tmp_path, *rows, steps(0, [1.0]))
    seen = fact(Activations, record)
    relu, tanh = seen.layers
    assert seen.steps == (0, 20)
    assert (relu.name, relu.kind, relu.where, relu.samples) == ("net.relu", "ReLU", MAKE, 2)
    assert (relu.mean_first, relu.mean_last, relu.std_first, relu.std_last) == (0.5, 0.1, 0.4, 0.2)
    assert (relu.dead_first, relu.dead_last, relu.saturated_first, relu.nonfinite) == (0.0, 0.75, None, 3)
    assert (tanh.saturated_first, tanh.saturated_last, tanh.dead_last, tanh.nonfinite) == (0.1, 0.6, None, 4)
    assert tanh.mean_last is not None and math.isnan(tanh.mean_last) and tanh.where is None
    assert "75%" in summary(Activations, record)


@pytest.mark.parametrize("row", [["a", "Linear", 0.5], ["a", "Linear", None, None, None, None, None, None]])
def test_a_layer_of_which_little_is_known(tmp_path: Path, row: list[Any]) -> None:
    (layer,) = fact(Activations, read(tmp_path, line("activations", i=0, layers=[row]), steps(0, [1.0]))).layers
    assert (layer.name, layer.std_first, layer.dead_first, layer.nonfinite) == ("a", None, None, 0)
