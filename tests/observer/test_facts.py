"""What is recorded of learning is what happened: each program keeps account of itself, slowly and plainly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from statistics import fmean, median
from typing import Any

import pytest

from fact_runs import STEPPED, Run, near, observed, shared_folder
from stetho.facts import (
    Activations,
    Clipping,
    FirstLoss,
    GradientNorms,
    GradientReset,
    InputScale,
    LayerGradients,
    LayerUpdates,
    LearningRate,
    LossCurve,
    LossInputs,
    LossTerms,
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


def busiest(found: Run) -> list[dict[str, Any]]:
    """The steps of the optimizer that the facts are about: that with the most, the first one of several."""
    return max(found.rows, key=len)


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
    assert near(curve.values, [fmean(losses(row)) for row in busiest(found)])
    assert list(curve.steps) == list(range(len(busiest(found))))
    assert (curve.nonfinite_step, curve.nonfinite_in) == (None, None)
    assert curve.objectives == (2 if program == "pair" else 1)


@pytest.mark.parametrize("program", STEPPED)
def test_learning_rates(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    for optimizer, rows in enumerate(found.rows):
        rates = [list(s.rates) for s in found.recording.steps if s.optimizer == optimizer]
        assert near(rates, [row["rates"] for row in rows])
    rates = [row["rates"] for row in busiest(found)]
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
    assert near(fact.norms, [row["g"] for row in busiest(found)]) and fact.estimated == 0
    counts = found.of(NonfiniteSteps)
    assert (counts.steps, counts.losses, counts.gradients, counts.parameters) == (len(busiest(found)), 0, 0, ())


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
    rows = [busiest(found)[i] for i in fact.steps]
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


@pytest.mark.parametrize("program", ["classify", "regress", "scaled", "scaled_fused", "resumed"])
def test_optimizer_state(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    fact, rows = found.of(OptimizerState), busiest(found)
    assert fact.ages == tuple(rows[i]["age"] for i in fact.steps) and len(fact.steps) >= 5
    row = rows[fact.moments_step or 0]
    assert fact.moments_step == [i for i in MEASURED if i < len(rows)][-1]
    told = [[m.gradient, m.first, m.second] for m in fact.moments]
    known = [list(each) for each in zip(row["squares"], row["first"], row["second"], strict=True)]
    assert near(told, known)


def test_momentum_is_a_first_moment(run: Callable[[str], Run]) -> None:
    found = run("terms")
    fact = found.of(OptimizerState)
    assert near([m.first for m in fact.moments], busiest(found)[fact.moments_step or 0]["first"])
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
    fact, rows = found.of(Clipping), busiest(found)
    fired = [row["g"] > row["limit"] for row in rows]
    assert (fact.calls, fact.fired, fact.steps_in_all) == (12, sum(fired), 12) and 0 < sum(fired) < 12
    assert near(fact.norms, [row["g"] for row in rows]) and near(fact.limits, [row["limit"] for row in rows])
    assert near([fact.limit_first, fact.limit_last], [1000.0, 0.1])
    assert near(found.of(LearningRate).clipped, fmean(fired))
    scaled = run("scaled")
    assert near(scaled.of(Clipping).norms, [row["clip"][0] for row in busiest(scaled)])


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
    assert fact.parameters == tuple(
        n for n, v in zip(names, rows[-1]["norms"], strict=True) if not math.isfinite(v)
    )
    assert (found.of(LossCurve).nonfinite_step, found.of(LossCurve).nonfinite_in) == (losses[0], "loss")
    assert found.of(InputScale).nonfinite == 1
    last = next(layer for layer in found.of(Activations).layers if layer.name == "Sequential.2")
    assert last.nonfinite == sum(found.truth["outputs"][i] for i in (0, 1, 2, 5))
    for layer, seen in zip(found.of(LayerGradients).layers, zip(*(r["gradients"] for r in rows), strict=True), strict=True):
        assert layer.nonfinite == sum(not math.isfinite(v) for v in seen)
        assert near([layer.lowest, layer.highest], [f(v for v in seen if math.isfinite(v)) for f in (min, max)])


def test_what_is_estimated_says_so_and_is_close(run: Callable[[str], Run]) -> None:
    found = run("large")
    fact, rows = found.of(GradientNorms), found.truth["steps"]
    assert [s.index for s in found.recording.steps if s.estimated] == [10, 11, 12] and fact.estimated == 3
    assert near(fact.norms[:10], [norm for norm, _, _ in rows[:10]])
    assert fact.norms[10:] == pytest.approx([norm for norm, _, _ in rows[10:]], rel=0.1)
    few, weight, bias = found.of(LayerGradients).layers
    assert near([few.first, few.last], [rows[0][1], rows[9][1]])
    _, weight, bias = found.of(LayerUpdates).layers
    assert weight.first == pytest.approx(rows[0][2][0], rel=0.1) and near(bias.first, rows[0][2][1])
    states = found.of(ParameterStates)
    assert not states.unchanged and not states.no_gradient


def entropy(counts: Counter[Any]) -> float:
    total = sum(counts.values())
    return -sum(n / total * math.log(n / total) for n in counts.values() if n)


def test_chance_beside_the_first_losses(run: Callable[[str], Run]) -> None:
    classes = run("classify")
    labels = Counter(y for phase, _, batch, _ in classes.truth["batches"] if phase == "train" for y in batch if y != 3)
    first = classes.of(FirstLoss)
    assert near([first.chance, first.uniform], [entropy(labels), math.log(4)])
    assert near(classes.of(LossCurve).chance, entropy(labels))
    assert first.classes == 4 and near(first.values, [row["loss"] for row in busiest(classes)[:5]])
    binary = run("images")
    ones = Counter(y for _, batch, _ in binary.truth["batches"] for y in batch)
    assert near([binary.of(FirstLoss).chance, binary.of(FirstLoss).uniform], [entropy(ones), math.log(2)])
    numbers = run("regress")
    looked = [c["step"] for c in numbers.recording.of("loss-call")]
    targets = [y for i in looked for (y,) in numbers.truth["batches"][i][1]]
    middle = fmean(targets)
    assert looked[:12] == list(range(12))
    assert near(numbers.of(FirstLoss).chance, fmean((y - middle) ** 2 for y in targets))
    assert near(numbers.of(LossCurve).explained, median(share(numbers, i) for i in looked if i >= 65))


def share(found: Run, step: int) -> float:
    """The part of the targets' variance that one batch's answers account for."""
    _, targets, answers = found.truth["batches"][step]
    middle = fmean(y for (y,) in targets)
    wrong = fmean((a - y) ** 2 for (a,), (y,) in zip(answers, targets, strict=True))
    return 1 - wrong / fmean((y - middle) ** 2 for (y,) in targets)


def test_terms_of_the_loss(run: Callable[[str], Run]) -> None:
    found = run("terms")
    steps, rows = found.recording.steps, busiest(found)
    assert near([[v for _, v in s.terms] for s in steps], [row["made"] for row in rows])
    fact, calls = found.of(LossTerms), {"mse_loss": "loss", "l1_loss": "far"}
    assert [call.name for call in fact.calls] == ["l1_loss", "mse_loss"]  # the larger one first
    assert all(found.at(call.where, calls[call.name]) and call.steps == 10 for call in fact.calls)
    summed = [[sum(row["made"][k::2]) for row in rows] for k in (1, 0)]
    assert near([call.first for call in fact.calls], [median(values[:5]) for values in summed])
    assert near([call.last for call in fact.calls], [median(values[-5:]) for values in summed])
    told = [[value for _, _, value in body["parts"]] for body in found.recording.of("terms")]
    looked = [k for step in (0, 1, 2, 5) for k in (2 * step, 2 * step + 1)]  # two micro-batches to a step
    assert near(list(map(sorted, told)), [sorted(found.truth["parts"][k]) for k in looked])
    parts = {"loss": 0, "weighted": 1, "penalty": 2}
    for part in fact.parts:
        (k,) = [k for mark, k in parts.items() if found.at(part.where, mark)]
        assert near(part.first, median(found.truth["parts"][i][k] for i in looked[:5])) and part.steps == 8
    assert (len(fact.parts), fact.looked_at) == (3, 8)
    pair = run("pair")
    judged = [s.terms for s in pair.recording.steps if s.optimizer == 1]
    assert near([[v for _, v in terms] for terms in judged], [row["made"] for row in pair.rows[1]])


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


def test_what_losses_are_given(run: Callable[[str], Run]) -> None:
    found = run("classify")
    train, test = found.of(LossInputs).sites
    batches = [b for b in found.truth["batches"] if b[0] == "train"]
    scores = [v for _, _, _, rows in batches for row in rows for v in row]
    labels = [y for _, _, batch, _ in batches for y in batch]
    assert found.at(train.where, "loss") and found.at(test.where, "eval-loss")
    assert (train.function, train.trained, test.trained) == ("cross_entropy", True, False)
    assert (train.looked_at, train.classes, train.batch, train.reduction) == (12, 4, 12, "mean")
    assert (train.shape, train.dtype, train.target_shape, train.target_dtype) == ((12, 4), "float32", (12,), "int64")
    assert near([train.low, train.high], [min(scores), max(scores)]) and train.normalised == train.broadcast == 0
    assert (train.target_low, train.target_high) == (0, 3) and train.produced_by == "linear"
    assert near(train.ignored, sum(y == 3 for y in labels) / len(labels))
    right = [hits(rows, batch, skip=3) for _, _, batch, rows in batches]
    assert near([train.accuracy_first, train.accuracy_last], [fmean(right[:5]), fmean(right[-5:])])
    stretched, far = run("terms").of(LossInputs).sites
    assert [(one.broadcast, one.looked_at) for one in (stretched, far)] == [(20, 20), (20, 20)]
    assert (stretched.shape, stretched.target_shape, far.reduction) == ((8, 1), (8,), "sum")
    assert (stretched.target_dtype, far.target_dtype) == ("float32", "int64")
    assert [one.broadcast for one in run("regress").of(LossInputs).sites] == [0]
    (inside,) = run("words").of(LossInputs).sites
    left = [y == -100 for _, batch, _ in run("words").truth["batches"] for row in batch for y in row]
    assert near(inside.ignored, fmean(left)) and run("words").at(inside.where, "loss")
    (twice,) = run("resumed").of(LossInputs).sites
    assert (twice.normalised, twice.looked_at, twice.produced_by) == (6, 6, "softmax")
    assert run("resumed").at(twice.produced_at[0], "softmax")
    (asked,) = run("images").of(LossInputs).sites
    assert asked.function == "binary_cross_entropy" and run("images").at(asked.where, "loss")


def hits(scores: list[list[float]], labels: list[int], skip: int) -> float:
    """The share of right answers among the labels that count."""
    answers = [row.index(max(row)) for row in scores]
    return fmean(a == y for a, y in zip(answers, labels, strict=True) if y != skip)
