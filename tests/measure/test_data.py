"""Features, samples to look at, and labels with their order."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from typing import Any

import pytest

from stetho.facts import ClassCount, InputScale, Labels, RawSamples

from .lines import NAN, call, fact, line, packed, read, steps, summary, told

Rows = list[list[float]]


def batch_input(rows: Rows, **more: Any) -> str:
    values = [v for row in rows for v in row]
    columns = list(zip(*rows, strict=True))
    body = {
        "n": len(rows), "mean": fmean(values), "std": pstdev(values), "low": min(values), "high": max(values), "bad": 0,
        "discrete": False, "fmean": [fmean(c) for c in columns], "fstd": [pstdev(c) for c in columns],
        "constant": sum(pstdev(c) == 0 for c in columns), "dtype": "float32", "shape": [len(rows), len(columns)],
        "site": 0, "step": 0,
    }  # fmt: skip
    return line("input", **{**body, **more})


def scale(folder: Path, *inputs: str) -> InputScale:
    return fact(InputScale, read(folder, steps(0, [1.0]), *inputs))


def test_features_over_all_batches_together(tmp_path: Path) -> None:
    random_ = Random(1)
    batches = [[[random_.gauss(i, 1), random_.gauss(0, 30)] for _ in range(size)] for i, size in enumerate((8, 8, 3))]
    found = scale(tmp_path, *map(batch_input, batches))
    for feature, column in zip(found.features, zip(*(row for b in batches for row in b), strict=True), strict=True):
        assert feature.mean == pytest.approx(fmean(column))
        assert feature.std == pytest.approx(pstdev(column))
    assert (found.shape, found.dtype, found.constant) == ((8, 2), "float32", 0)


def test_a_feature_is_constant_when_it_is_the_same_in_every_batch(tmp_path: Path) -> None:
    """The second feature is constant within each batch and still varies; the third is 0.1 throughout."""
    batches = [[[float(i), float(k), 0.1] for i in range(8)] for k in range(3)]
    found = scale(tmp_path, *map(batch_input, batches))
    assert found.constant == 1
    assert found.features[2].std == 0.0 and found.features[1].std > 0
    assert "1 feature constant" in summary(InputScale, read(tmp_path, steps(0, [1.0]), *map(batch_input, batches)))


def test_counts_alone_bound_the_constant_features(tmp_path: Path) -> None:
    wide = [batch_input([[1.0, 2.0], [2.0, 2.0]], fmean=None, fstd=None, constant=c) for c in (5, 3)]
    found = scale(tmp_path, *wide)
    assert (found.constant, found.features) == (3, ())


def test_batches_that_do_not_go_together_have_no_features(tmp_path: Path) -> None:
    assert scale(tmp_path, batch_input([[1.0], [2.0]]), batch_input([[1.0, 2.0], [2.0, 3.0]])).features == ()


def test_what_old_recordings_lack_is_unknown(tmp_path: Path) -> None:
    old = line("input", n=2, mean=0.0, std=1.0, low=-1.0, high=1.0, bad=0, discrete=False, site=0)
    found = scale(tmp_path, old)
    assert (found.constant, found.features, found.shape, found.dtype) == (None, (), None, None)


def test_nan_in_one_feature_stays_there(tmp_path: Path) -> None:
    row = batch_input([[1.0, 2.0], [2.0, 3.0]], fmean=[NAN, 2.5], fstd=[NAN, 0.5], bad=1)
    found = scale(tmp_path, row)
    assert math.isnan(found.features[0].mean) and math.isnan(found.features[0].std)
    assert (found.features[1].mean, found.features[1].std) == (2.5, 0.5)


# --- samples -------------------------------------------------------------------------------------------------


def test_whole_samples_are_kept_to_be_looked_at(tmp_path: Path) -> None:
    values = [float(i) for i in range(80)]
    raw = line("raw", step=3, x=packed(values, 2, 4, 10), dtype="uint8", y=packed([7.0, 8.0], 2))
    record = read(tmp_path, steps(0, [1.0]), raw)
    first, second = fact(RawSamples, record).samples
    assert (first.step, first.shape, first.dtype, first.label) == (3, (4, 10), "uint8", (7.0,))
    assert first.values == tuple(values[:32])
    assert (first.low, first.high, first.mean) == (0.0, 39.0, 19.5)
    assert first.std == pytest.approx(pstdev(values[:40]))
    assert (second.values[0], second.label) == (40.0, (8.0,))
    assert "4x10" in summary(RawSamples, record)


def test_a_sample_may_be_one_number_without_a_label(tmp_path: Path) -> None:
    raw = line("raw", step=0, x=packed([NAN, 2.0], 2), dtype="float32", y=None)
    first, second = fact(RawSamples, read(tmp_path, steps(0, [1.0]), raw)).samples
    assert math.isnan(first.mean) and first.shape == ()
    assert (second.values, second.label) == ((2.0,), None)


def test_an_empty_sample_is_still_one(tmp_path: Path) -> None:
    (sample,) = fact(RawSamples, read(tmp_path, steps(0, [1.0]), line("raw", step=0, x=packed([], 1, 0)))).samples
    assert sample.shape == (0,) and sample.values == () and math.isnan(sample.mean) and sample.dtype is None


def test_a_few_samples_are_enough(tmp_path: Path) -> None:
    raw = line("raw", step=0, x=packed([1.0] * 40, 40, 1), dtype="float32")
    assert len(fact(RawSamples, read(tmp_path, steps(0, [1.0]), raw)).samples) == 16


# --- labels --------------------------------------------------------------------------------------------------


def batch(labels: list[int], phase: str = "train", step: int = 0) -> str:
    return line("batch", step=step, phase=phase, h=[f"{i:x}" for i in range(len(labels))], labels=labels)


def test_classes_are_counted_where_the_loss_sees_them(tmp_path: Path) -> None:
    calls = [call(hist=[5, 0, 3]), call(hist=[4, 1, 3]), call(hist=[0, 99, 0], grad=False)]
    labels = fact(Labels, read(tmp_path, steps(0, [1.0]), *calls))
    assert (labels.classes, labels.counted) == (3, 16)
    assert labels.counts == (ClassCount(0, 9), ClassCount(2, 6), ClassCount(1, 1))
    assert labels.rarest == ClassCount(1, 1)
    assert (labels.same, labels.longest_run, labels.mean) == (None, None, None)


def test_heads_are_not_mixed(tmp_path: Path) -> None:
    calls = [call(hist=[1, 1]), call(hist=[1, 1]), call(site=1, hist=[0, 0, 7])]
    assert fact(Labels, read(tmp_path, steps(0, [1.0]), *calls)).counts == (ClassCount(0, 2), ClassCount(1, 2))


def test_order_within_batches_against_chance(tmp_path: Path) -> None:
    random_ = Random(2)
    batches = [[random_.choice((0, 0, 1, 2)) for _ in range(20)] for _ in range(6)]
    labels = fact(Labels, read(tmp_path, steps(0, [1.0]), *(batch(b, step=i) for i, b in enumerate(batches))))
    pairs = [p for b in batches for p in pairwise(b)]
    everything = [label for b in batches for label in b]
    strangers = [a == b for i, a in enumerate(everything) for j, b in enumerate(everything) if i != j]
    shares = [n / 120 for n in Counter(everything).values()]
    assert (labels.neighbours, labels.batches, labels.counted) == (len(pairs), 6, 120)
    assert labels.same == pytest.approx(fmean(a == b for a, b in pairs))
    assert labels.expected == pytest.approx(fmean(strangers))
    assert labels.classes_per_batch == pytest.approx(fmean(len(set(b)) for b in batches))
    assert labels.expected_per_batch == pytest.approx(sum(1 - (1 - p) ** 20 for p in shares))


def test_sorted_labels_run_long(tmp_path: Path) -> None:
    record = read(tmp_path, steps(0, [1.0]), batch([0] * 8), batch([0] * 3 + [1] * 5), batch([1] * 8))
    labels = fact(Labels, record)
    assert (labels.longest_run, labels.classes_per_batch) == (8, pytest.approx(4 / 3))
    assert labels.same == pytest.approx(20 / 21)
    assert labels.expected is not None and labels.expected < 0.5


def test_evaluation_has_counts_of_its_own(tmp_path: Path) -> None:
    labels = fact(Labels, read(tmp_path, steps(0, [1.0]), batch([0, 1]), batch([1, 1, 1], phase="eval")))
    assert labels.evaluated == (ClassCount(1, 3),)
    assert labels.counted == 2 and labels.neighbours == 1


def test_targets_that_are_numbers_have_a_range(tmp_path: Path) -> None:
    targets = [[1.0, 5.0], [3.0, 9.0, 2.0]]
    calls = [
        call("mse_loss", mean=fmean(t), sq=fmean(v * v for v in t), m=len(t), tlow=min(t), thigh=max(t))
        for t in targets
    ]
    labels = fact(Labels, read(tmp_path, steps(0, [1.0]), *calls))
    everything = [v for t in targets for v in t]
    assert labels.mean == pytest.approx(fmean(everything)) and labels.std == pytest.approx(pstdev(everything))
    assert (labels.low, labels.high, labels.classes, labels.counts) == (1.0, 9.0, None, ())


@pytest.mark.parametrize("nothing", ["", call(), batch([])])
def test_nothing_is_known_about_labels(tmp_path: Path, nothing: str) -> None:
    assert Labels not in told(read(tmp_path, steps(0, [1.0]), nothing))


def test_one_label_has_no_neighbour(tmp_path: Path) -> None:
    labels = fact(Labels, read(tmp_path, steps(0, [1.0]), batch([4])))
    assert (labels.classes, labels.neighbours, labels.same, labels.expected) == (1, 0, None, None)
