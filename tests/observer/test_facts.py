"""What is recorded of learning is what happened: each program keeps account of itself, slowly and plainly."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from fact_runs import STEPPED, Run, near, observed, shared_folder

from conftest import environment
from stetho import measure, recording
from stetho.executors.local import INJECT
from stetho.facts import (
    Activations,
    Clipping,
    GradientNorms,
    GradientReset,
    InputScale,
    LayerGradients,
    LayerUpdates,
    LearningRate,
    LossCurve,
    NonfiniteSteps,
    Optimizers,
    OptimizerState,
    ParameterStates,
    SkippedSteps,
    UpdateRatios,
    WeightStatistics,
)

# Early steps are all measured parameter by parameter, then every twenty-fifth.
MEASURED = [*range(10), 25, 50, 75, 100, 125]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    return lambda name: observed(shared_folder(tmp_path_factory), name)


def columns(found: Run, key: str) -> list[list[Any]]:
    """One column of the sampled steps, optimizer by optimizer; which steps these are is checked on the way."""
    tables = []
    for optimizer, rows in enumerate(found.rows):
        seen = {s["i"]: s for s in found.recording.of("sample") if s["o"] == optimizer}
        assert list(seen) == [i for i in MEASURED if i < len(rows)]
        tables.append([(rows[i], seen[i].get(key)) for i in seen])
    return tables


def losses(row: dict[str, Any]) -> list[float]:
    return row.get("losses") or [row["loss"]]


@pytest.mark.parametrize("program", STEPPED)
def test_losses_and_their_curve(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for optimizer, rows in enumerate(found.rows):
        steps = [s for s in found.recording.steps if s.optimizer == optimizer]
        assert [s.index for s in steps] == list(range(len(rows)))
        assert near([[v for _, v in s.losses] for s in steps], [losses(row) for row in rows])
    curve = found.of(LossCurve)
    assert near(curve.values, [fmean(losses(row)) for row in found.busiest])
    assert list(curve.steps) == list(range(len(found.busiest)))
    assert (curve.nonfinite_step, curve.nonfinite_in) == (None, None)
    assert curve.objectives == (2 if program == "pair" else 1)


@pytest.mark.parametrize("program", STEPPED)
def test_learning_rates(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for optimizer, rows in enumerate(found.rows):
        rates = [list(s.rates) for s in found.recording.steps if s.optimizer == optimizer]
        assert near(rates, [row["rates"] for row in rows])
    rates = [row["rates"] for row in found.busiest]
    fact = found.of(LearningRate)
    assert near(fact.values, [r[0] for r in rates]) and near(fact.initial, rates[0][0])
    groups = [[r[k] for r in rates if k < len(r)] for k in range(len(rates[-1]))] if len(rates[-1]) > 1 else []
    assert near([[g.first, g.last, g.highest] for g in fact.groups], [[g[0], g[-1], max(g)] for g in groups])


@pytest.mark.parametrize("program", STEPPED)
def test_gradient_norms_are_those_before_clipping(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for optimizer, rows in enumerate(found.rows):
        norms = [s.gradient for s in found.recording.steps if s.optimizer == optimizer]
        assert near(norms, [row["g"] for row in rows])
    fact = found.of(GradientNorms)
    assert near(fact.norms, [row["g"] for row in found.busiest]) and fact.estimated == 0
    counts = found.of(NonfiniteSteps)
    assert (counts.steps, counts.losses, counts.gradients, counts.parameters) == (len(found.busiest), 0, 0, ())


@pytest.mark.parametrize("program", STEPPED)
def test_gradients_of_single_parameters(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for table in columns(found, "g"):
        for row, told in table:
            assert near(told, row["gradients"])
    layers = found.of(LayerGradients).layers
    for layer, seen in zip(layers, by_parameter(found, "gradients"), strict=True):
        there = [v for v in seen if v is not None]
        assert (layer.samples, layer.absent, layer.nonfinite) == (len(seen), len(seen) - len(there), 0)
        assert layer.zero == sum(v == 0 for v in there)
        ends = [there[0], there[-1], median(there), min(there), max(there)] if there else [None] * 5
        assert near([layer.first, layer.last, layer.median, layer.lowest, layer.highest], ends)


def by_parameter(found: Run, key: str) -> list[list[Any]]:
    """What the program knows of each parameter, from sampled step to sampled step."""
    tables = [[row[key] for row, _ in table] for table in columns(found, "g")]
    return [[row[k] for row in table if k < len(row)] for table in tables for k in range(len(table[-1]))]


@pytest.mark.parametrize("program", STEPPED)
def test_real_changes_of_parameters(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for table in columns(found, "u"):
        for row, told in table:
            assert near(told, row["changes"])
    for table in columns(found, "ur"):
        assert near([told for _, told in table], [row["change"] for row, _ in table])
    fact = found.of(UpdateRatios)
    rows = [found.busiest[i] for i in fact.steps]
    assert near(fact.ratios, [row["change"] for row in rows]) and near(fact.rates, [row["rates"][0] for row in rows])
    for layer, seen in zip(found.of(LayerUpdates).layers, by_parameter(found, "changes"), strict=True):
        there = [v for v in seen if v is not None]
        assert (layer.samples, layer.unchanged) == (len(there), sum(v == 0 for v in there))
        assert near([layer.first, layer.last, layer.median], [there[0], there[-1], median(there)])


@pytest.mark.parametrize("program", STEPPED)
def test_weights(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for key, truth in {"w": "norms", "wm": "means", "ws": "stds", "wx": "largest"}.items():
        for table in columns(found, key):
            for row, told in table:
                assert near(told, row[truth]), (key, told, row[truth])
    layers = found.of(WeightStatistics).layers
    for truth, first, last in (
        ("norms", "norm_first", "norm_last"),
        ("means", "mean_first", "mean_last"),
        ("stds", "std_first", "std_last"),
        ("largest", "largest_first", "largest_last"),
    ):
        known = by_parameter(found, truth)
        assert near([getattr(layer, first) for layer in layers], [seen[0] for seen in known])
        assert near([getattr(layer, last) for layer in layers], [seen[-1] for seen in known])


@pytest.mark.parametrize("program", ["classify", "regress", "scaled", "scaled_fused", "resumed", "words"])
def test_optimizer_state(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    fact, rows = found.of(OptimizerState), found.busiest
    assert fact.ages == tuple(rows[i]["age"] for i in fact.steps) and len(fact.steps) >= 5
    row = rows[fact.moments_step or 0]
    assert fact.moments_step == [i for i in MEASURED if i < len(rows)][-1]
    told = [[m.gradient, m.first, m.second] for m in fact.moments]
    known = [list(each) for each in zip(row["squares"], row["first"], row["second"], strict=True)]
    assert near(told, known)


def test_momentum_is_a_first_moment(run: Callable[[str], Run]) -> None:
    found = run("terms")
    fact = found.of(OptimizerState)
    assert near([m.first for m in fact.moments], found.busiest[fact.moments_step or 0]["first"])
    assert fact.ages == () and all(m.second is None for m in fact.moments)


def test_optimizers(run: Callable[[str], Run]) -> None:
    found = run("classify")
    (adam,) = found.of(Optimizers).optimizers
    assert (adam.name, adam.steps, adam.fused) == ("Adam", 12, False) and found.at(adam.where, "optimizer")
    assert near(adam.rates, [0.03, 0.0]) and list(adam.group_sizes) == found.truth["groups"]
    told = {s.name: s.text for s in adam.settings}
    assert (told["betas"], told["lr"]) == ("[0.8, 0.9]", "0.03")
    assert [g.elements for g in found.of(LearningRate).groups] == found.truth["groups"]
    (decayed,) = run("regress").of(Optimizers).optimizers
    assert (decayed.name, decayed.decay, decayed.steps) == ("AdamW", 0.1, 130)
    (moved,) = run("terms").of(Optimizers).optimizers
    assert (moved.name, moved.momentum) == ("SGD", 0.9)
    assert [(o.name, o.steps) for o in run("pair").of(Optimizers).optimizers] == [("Adam", 5), ("SGD", 10)]


def test_clipping(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact, rows = found.of(Clipping), found.busiest
    fired = [row["g"] > row["limit"] for row in rows]
    assert (fact.calls, fact.fired, fact.steps_in_all) == (12, sum(fired), 12) and 0 < sum(fired) < 12
    assert near(fact.norms, [row["g"] for row in rows]) and near(fact.limits, [row["limit"] for row in rows])
    assert near([fact.limit_first, fact.limit_last], [1000.0, 0.1])
    assert near(found.of(LearningRate).clipped, fmean(fired))
    scaled = run("scaled")
    assert near(scaled.of(Clipping).norms, [row["clip"][0] for row in scaled.busiest])


@pytest.mark.parametrize("program", ["scaled", "scaled_fused"])
def test_steps_left_out_by_a_scaler(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    fact, left_out, scales = found.of(SkippedSteps), found.truth["skipped"], found.truth["scales"]
    assert (fact.skipped, fact.taken, fact.longest) == (3, 8, 2)
    assert list(fact.steps) == [i for i, _ in left_out]
    assert near([fact.scale_first, fact.scale_last, fact.scale_lowest], [scales[0], scales[-1], min(scales)])


def test_gradients_that_are_not_cleared(run: Callable[[str], Run]) -> None:
    found = run("terms")
    fact = found.of(GradientReset)
    assert [s.index for s in found.recording.steps if s.kept] == found.truth["kept"]
    assert (fact.steps, fact.kept) == (9, 2)
    assert found.at(fact.step_at, "step") and found.at(fact.backward_at, "backward")
    for program in set(STEPPED) - {"terms", "resumed"}:
        assert run(program).of(GradientReset).kept == 0, program


def test_steps_that_are_not_finite(run: Callable[[str], Run]) -> None:
    found = run("broken")
    fact, rows = found.of(NonfiniteSteps), found.truth["steps"]
    losses = [i for i, row in enumerate(rows) if not math.isfinite(row["loss"])]
    gradients = [i for i, row in enumerate(rows) if not math.isfinite(row["g"])]
    lost = [i for i, row in enumerate(rows) if not all(map(math.isfinite, row["norms"]))]
    assert (fact.steps, fact.losses, fact.gradients) == (7, len(losses), len(gradients))
    assert (fact.first_loss, fact.first_gradient, fact.first_parameter) == (losses[0], gradients[0], lost[0])
    names = found.recording.of("parameters")[0]["names"]
    assert fact.parameters == tuple(n for n, v in zip(names, rows[-1]["norms"], strict=True) if not math.isfinite(v))
    assert (found.of(LossCurve).nonfinite_step, found.of(LossCurve).nonfinite_in) == (losses[0], "loss")
    assert found.of(InputScale).nonfinite == 1
    last = next(layer for layer in found.of(Activations).layers if layer.name == "Sequential.2")
    assert last.nonfinite == sum(found.truth["outputs"][i] for i in (0, 1, 2, 5))
    for k, layer in enumerate(found.of(LayerGradients).layers):
        seen = [row["gradients"][k] for row in rows]
        assert layer.nonfinite == sum(not math.isfinite(v) for v in seen)
        assert near([layer.lowest, layer.highest], [f(v for v in seen if math.isfinite(v)) for f in (min, max)])


def test_what_is_estimated_says_so_and_is_close(run: Callable[[str], Run]) -> None:
    found = run("large")
    fact, rows = found.of(GradientNorms), found.truth["steps"]
    assert [s.index for s in found.recording.steps if s.estimated] == [10, 11, 12] and fact.estimated == 3
    assert near(fact.norms[:10], [norm for norm, _, _ in rows[:10]])
    assert fact.norms[10:] == pytest.approx([norm for norm, _, _ in rows[10:]], rel=0.1)
    few = found.of(LayerGradients).layers[0]
    assert near([few.first, few.last], [rows[0][1], rows[9][1]])
    embedding, weight, bias, still, _ = found.of(LayerUpdates).layers
    assert weight.first == pytest.approx(rows[0][2][0], rel=0.1) and near(bias.first, rows[0][2][1])
    assert embedding.unchanged == 0  # rows that were not looked at may have changed
    assert (still.samples, still.unchanged) == (9, 9)  # once a part stood still, all of it was looked at
    assert found.of(ParameterStates).unchanged == ("Linear.weight", "Linear.bias")


def test_activations(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact, known = found.of(Activations), found.truth["layers"]
    assert list(fact.steps) == [0, 1, 2, 5, 10]
    layers = {layer.name: layer for layer in fact.layers}
    assert set(layers) == set(known[0]) and layers["Net.relu"].kind == "ReLU"
    for name, layer in layers.items():
        ends = known[0][name], known[10][name]
        assert (layer.samples, layer.nonfinite) == (5, 0)
        assert near([layer.mean_first, layer.mean_last], [end["mean"] for end in ends]), name
        assert near([layer.std_first, layer.std_last], [end["std"] for end in ends]), name
        dead = [end["dead"] for end in ends] if layer.kind == "ReLU" else [None, None]
        assert near([layer.dead_first, layer.dead_last], dead)
        full = [end["near 1"] for end in ends] if layer.kind == "Tanh" else [None, None]
        assert near([layer.saturated_first, layer.saturated_last], full)
    assert known[0]["Net.relu"]["dead"] >= 2 / 12 and known[0]["Net.tanh"]["near 1"] > 0
    assert found.at(layers["Net.relu"].where, "relu")
    images = run("images")
    relu = next(layer for layer in images.of(Activations).layers if layer.kind == "ReLU")
    ends = images.truth["layers"][0], images.truth["layers"][10]
    assert near([relu.dead_first, relu.dead_last], [end["dead"] for end in ends])


BY_HAND = """
import torch
torch.manual_seed(6)
w = torch.zeros(3, requires_grad=True)
for _ in range(40):
    x = torch.randn(8, 3)
    loss = (x @ w - x.sum(1)).square().mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        CLEAR
"""
ASSIGNED = """
import torch
torch.manual_seed(6)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.05)
for _ in range(40):
    x = torch.randn(8, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    for p, g in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        p.grad = g
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        (BY_HAND.replace("CLEAR", "w.grad.zero_()"), 0),
        (BY_HAND.replace("CLEAR", "w.grad = None"), 0),
        (BY_HAND.replace("CLEAR", "pass"), 38),
        (ASSIGNED, 0),
    ],
)
def test_gradients_cleared_or_made_by_the_program_itself(program: str, kept: int, write, tmp_path: Path) -> None:
    (tmp_path / "recording").mkdir()
    plan = {"recording": str(tmp_path / "recording"), "seed": None, "steps": None, "changes": [], "trace": []}
    variables = {"STETHO_PLAN": str(write("plan.json", json.dumps(plan))), "PYTHONPATH": str(INJECT)}
    command = [sys.executable, str(write("train.py", program))]
    subprocess.run(command, env={**environment(), **variables}, check=True, timeout=120)
    facts = {type(fact): fact for fact, _ in measure.facts(recording.read(tmp_path / "recording"))}
    assert facts[GradientReset].kept == kept
