"""What is recorded of losses is what they were: their terms, what they were given, and what chance would cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from statistics import fmean, median
from typing import Any

import pytest
from fact_runs import Run, near, observed, shared_folder

from stetho.facts import (
    FirstLoss,
    LossCurve,
    LossInputs,
    LossTerms,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    return lambda name: observed(shared_folder(tmp_path_factory), name)


def entropy(counts: Counter[Any]) -> float:
    total = sum(counts.values())
    return -sum(n / total * math.log(n / total) for n in counts.values() if n)


def test_chance_beside_the_first_losses(run: Callable[[str], Run]) -> None:
    classes = run("classify")
    labels = Counter(y for phase, _, batch, _ in classes.truth["batches"] if phase == "train" for y in batch if y != 3)
    first = classes.of(FirstLoss)
    assert near([first.chance, first.uniform], [entropy(labels), math.log(4)])
    assert near(classes.of(LossCurve).chance, entropy(labels))
    assert first.classes == 4 and near(first.values, [row["loss"] for row in classes.busiest[:5]])
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
    steps, rows = found.recording.steps, found.busiest
    assert near([[v for _, v in s.terms] for s in steps], [row["made"] for row in rows])
    fact, calls = found.of(LossTerms), {"mse_loss": "loss", "l1_loss": "far"}
    assert [call.name for call in fact.calls] == ["l1_loss", "mse_loss"]  # the larger one first
    assert all(found.at(call.where, calls[call.name]) and call.steps == 10 for call in fact.calls)
    summed = [[sum(row["made"][k::2]) for row in rows] for k in (1, 0)]
    assert near([call.first for call in fact.calls], [median(values[:5]) for values in summed])
    assert near([call.last for call in fact.calls], [median(values[-5:]) for values in summed])
    told = [[value for _, _, value, *_ in body["parts"]] for body in found.recording.of("terms")]
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
