"""What is recorded of the data is what entered the models: samples, labels, loaders, and what came again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import groupby, pairwise
from statistics import fmean, pstdev
from typing import Any

import pytest
from fact_runs import Run, near, observed, shared_folder

from stetho.facts import (
    Association,
    ClassNumberings,
    Evaluations,
    Fingerprints,
    InputScale,
    Labels,
    Loaders,
    Predictions,
    RawSamples,
    Types,
)
from stetho.measure.data import matrix

Rows = list[list[float]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    return lambda name: observed(shared_folder(tmp_path_factory), name)


def flat(value: Any) -> list[float]:
    return [v for one in value for v in flat(one)] if isinstance(value, list) else [value]


def trained(found: Run) -> list[list[Any]]:
    """The batches of training: inputs, labels, and what the model made of them."""
    return [b[1:] for b in found.truth["batches"] if b[0] == "train"]


def test_scale_of_the_inputs(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact, seen = found.of(InputScale), [trained(found)[i][0] for i in (0, 1, 2, 3, 10)]
    rows = [row for batch in seen for row in batch]
    assert near([fact.mean, fact.std], [fmean(fmean(flat(b)) for b in seen), fmean(pstdev(flat(b)) for b in seen)])
    assert near([fact.low, fact.high], [min(flat(rows)), max(flat(rows))])
    assert (fact.samples, fact.constant, fact.shape, fact.dtype) == (60, 1, (12, 6), "float32")
    assert (fact.nonfinite, fact.discrete) == (0, False) and found.at(fact.where, "call")
    columns = list(zip(*rows, strict=True))
    assert near([[f.mean, f.std] for f in fact.features], [[fmean(c), pstdev(c)] for c in columns])
    assert near(fact.feature_spread, fmean(spread(batch) for batch in seen))


def spread(rows: Rows) -> float:
    """The largest over the smallest deviation of the features that vary."""
    stds = [pstdev(column) for column in zip(*rows, strict=True)]
    return max(stds) / min(s for s in stds if s > 1e-6)


def test_features_of_images_and_of_wide_inputs(run: Callable[[str], Run]) -> None:
    found = run("images")
    fact, seen = found.of(InputScale), [found.truth["batches"][i][0] for i in (0, 1, 2, 3, 10)]
    channels = [flat([image[c] for batch in seen for image in batch]) for c in range(3)]
    assert near([[f.mean, f.std] for f in fact.features], [[fmean(c), pstdev(c)] for c in channels])
    assert fact.constant == 1 and fact.shape == (5, 3, 5, 5)
    wide = run("terms").of(InputScale)
    assert (wide.shape, wide.features, wide.constant) == ((8, 70), (), 3)
    words = run("words").of(InputScale)
    assert words.discrete and (words.low, words.high) == (0, 19) and words.dtype == "int64"


def test_raw_samples(run: Callable[[str], Run]) -> None:
    for program in ("classify", "images", "words"):
        found = run(program)
        batches = trained(found) if program == "classify" else found.truth["batches"]
        samples = found.of(RawSamples).samples
        assert [s.step for s in samples] == list(range(6))
        for sample, (inputs, labels, _) in zip(samples, batches, strict=False):
            first = flat(inputs[0])
            assert near(sample.values, first[:32])
            assert near([sample.mean, sample.std], [fmean(first), pstdev(first)])
            assert near([sample.low, sample.high], [min(first), max(first)])
            assert sample.label is None or near(sample.label, flat(labels[:1])[:8])
    assert run("classify").of(RawSamples).samples[0].label is not None


def test_labels_and_their_order(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact, batches = found.of(Labels), [labels for _, labels, _ in trained(found)]
    counts = Counter(y for batch in batches for y in batch if y != 3)
    assert {c.label: c.count for c in fact.counts} == counts and fact.classes == 3
    assert fact.counted == counts.total() and fact.rarest is not None and fact.rarest.label == 2
    tested = [labels for phase, _, labels, _ in found.truth["batches"] if phase == "eval"]
    assert {c.label: c.count for c in fact.evaluated} == Counter(y for labels in tested for y in labels)
    pairs = [pair for batch in batches for pair in pairwise(batch)]
    shares = [n / 144 for n in Counter(y for batch in batches for y in batch).values()]
    assert (fact.batches, fact.neighbours) == (12, len(pairs))
    assert near(fact.same, fmean(a == b for a, b in pairs))
    assert near(fact.expected, sum(s * (144 * s - 1) / 143 for s in shares))
    assert fact.longest_run == max(len(list(run)) for batch in batches for _, run in groupby(batch))
    assert near(fact.classes_per_batch, fmean(len(set(batch)) for batch in batches))
    assert near(fact.expected_per_batch, sum(1 - (1 - s) ** 12 for s in shares))
    numbers = run("regress").of(Labels)
    looked = [c["step"] for c in run("regress").recording.of("loss-call")]
    targets = [y for i in looked for (y,) in run("regress").truth["batches"][i][1]]
    assert near([numbers.mean, numbers.std], [fmean(targets), pstdev(targets)])
    assert near([numbers.low, numbers.high], [min(targets), max(targets)]) and numbers.classes is None


def test_predicted_classes(run: Callable[[str], Run]) -> None:
    found = run("classify")
    first, *others = found.of(Predictions).sites
    answers = [answered(labels, scores, skip=3) for _, labels, scores in trained(found)]
    early, late = Counter(flat(answers[:5])), Counter(flat(answers[-5:]))
    right = Counter(y for _, labels, _ in trained(found)[-5:] for y in labels if y != 3)
    assert found.at(first.where, "loss") and first.trained and first.calls == 12 and len(others) == 1
    assert (first.distinct_first, first.distinct_last) == (len(early), len(late))
    assert near([first.most_first, first.most_last], [max(c.values()) / c.total() for c in (early, late)])
    for one in first.shares:
        assert near([one.predicted, one.given], [late[one.label] / late.total(), right[one.label] / right.total()])
    (words,) = run("words").of(Predictions).sites
    spoken = run("words").truth["batches"][-5:]
    late = Counter(y for _, labels, rows in spoken for y in answered(flat(labels), [s for r in rows for s in r], -100))
    assert {one.label: round(one.predicted * late.total()) for one in words.shares} == late


def answered(labels: list[int], scores: Rows, skip: int) -> list[int]:
    """The class with the highest score, where the loss asks for one."""
    return [row.index(max(row)) for y, row in zip(labels, scores, strict=True) if y != skip]


def test_samples_that_come_again(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact, batches = found.of(Fingerprints), [[tuple(row) for row in inputs] for inputs, _, _ in trained(found)]
    rows = [row for batch in batches for row in batch]
    epochs = [rows[i : i + 48] for i in (0, 48, 96)]
    tested = {tuple(row) for phase, inputs, *_ in found.truth["batches"] if phase == "eval" for row in inputs}
    assert (fact.batches, fact.samples, fact.distinct) == (12, len(rows), len(set(rows)))
    assert fact.repeated == sum(len(epoch) - len(set(epoch)) for epoch in epochs) == 3
    assert (fact.epochs, fact.epochs_compared, fact.same_order) == (3, 2, 0)
    assert (fact.evaluated, fact.shared) == (len(tested), len(tested & set(rows))) == (16, 3)
    assert fact.same_as_before == 0 and fact.distinct_batches == 12
    ordered = run("images").of(Fingerprints)
    assert (ordered.epochs_compared, ordered.same_order, ordered.distinct_batches) == (2, 2, 4)
    again = run("closure").of(Fingerprints)
    assert (again.distinct_batches, again.same_as_before) == (1, 5)
    words = run("words")
    told = [tuple(b["h"]) for b in words.recording.of("batch")]
    known = [tuple(map(tuple, inputs)) for inputs, _, _ in words.truth["batches"]]
    assert [told.index(t) for t in told] == [known.index(k) for k in known]


def test_samples_of_a_model_that_never_comes_back_from_evaluation(run: Callable[[str], Run]) -> None:
    found = run("halves")
    assert [b["phase"] for b in found.recording.of("batch")] == [phase for phase, _ in found.truth["batches"]]
    assert (found.of(Fingerprints).evaluated, found.of(Fingerprints).shared) == (10, 0)


def test_loaders(run: Callable[[str], Run]) -> None:
    found = run("classify")
    train, test = found.of(Loaders).loaders
    assert found.at(train.where, "train-loader") and found.at(test.where, "test-loader")
    assert (train.samples, train.batches, train.batch, train.workers) == (48, 4, 12, 0)
    assert (train.sampler, train.shuffle, train.drop_last) == ("RandomSampler", True, False)
    assert (test.sampler, test.shuffle, test.drop_last) == ("SequentialSampler", False, True)
    assert (train.epochs, train.phase, train.steps_per_epoch) == (3, "train", 4.0)
    assert (test.epochs, test.phase, test.samples, test.iterable) == (3, "eval", 16, False)
    stream, plain = run("stream").of(Loaders).loaders
    assert (stream.iterable, stream.samples, stream.batches, stream.shuffle) == (True, None, None, None)
    assert (stream.workers, stream.persistent, stream.batch) == (2, True, 3)
    assert [(one.epochs, one.phase) for one in (stream, plain)] == [(1, "train"), (1, "train")]
    assert stream.generators == ("drawn", "noise", "seeded") and plain.generators == ()
    assert stream.alike == ("drawn", "noise", "seeded") and plain.alike is None
    assert run("stream").at(stream.where, "stream") and run("stream").at(plain.where, "plain")


def test_workers_that_draw_the_same_numbers(run: Callable[[str], Run]) -> None:
    found = run("stream")
    epochs = [[tuple(row) for batch in seen for row in batch] for seen in found.truth["seen"]]
    again = sum(len(rows) - len(set(rows)) for rows in epochs)
    assert found.of(Fingerprints).repeated == again == 6


def test_types_of_everything(run: Callable[[str], Run]) -> None:
    half = run("halves").of(Types)
    assert {a.kind: a.elements for a in half.parameters} == {"bfloat16": 42}
    assert (half.inputs, half.outputs, half.output_devices) == (("bfloat16",), ("bfloat16",), ("cpu",))
    mixed = run("scaled").of(Types)
    assert mixed.autocast == ("bfloat16",) and f"torch.{mixed.outputs[0]}" == run("scaled").truth["outputs"]
    assert (mixed.losses, mixed.targets, mixed.inputs) == (("bfloat16",), ("int64",), ("float32",))
    words = run("words").of(Types)
    assert (words.inputs, words.outputs, words.targets) == (("int64",), ("float32",), ("int64",))


def test_neighbours_agree_on_their_labels(run: Callable[[str], Run]) -> None:
    found = run("terms")
    fact = found.of(Association)
    rows = [row for inputs, _, _ in found.truth["batches"] for row in inputs]
    targets = flat(scaled([[y] for _, labels, _ in found.truth["batches"] for y in labels]))
    inputs, agree = scaled(rows), []
    for x, y in zip(inputs, targets, strict=True):
        nearest = sorted(range(len(rows)), key=lambda i: math.dist(inputs[i], x))[1:6]
        agree.append(1 - fmean((targets[i] - y) ** 2 for i in nearest) / 2)
    assert (fact.samples, fact.repeated, fact.expected) == (160, 0.0, 0.0)
    assert math.isclose(fact.agreement, fmean(agree), rel_tol=1e-4)


def scaled(rows: Rows) -> Rows:
    """Columns with mean 0 and deviation 1; those that do not vary are left out."""
    columns = [[(v - fmean(c)) / pstdev(c) for v in c] for c in zip(*rows, strict=True) if len(set(c)) > 1]
    return [list(row) for row in zip(*columns, strict=True)]


def test_evaluations_and_what_they_come_to(run: Callable[[str], Run]) -> None:
    found = run("classify")
    (line,) = found.of(Evaluations).lines
    stretches = [(phase, list(group)) for phase, group in groupby(found.truth["batches"], key=lambda b: b[0])]
    passes = [group for phase, group in stretches if phase == "eval"]
    scored = [[(row, y) for _, _, labels, scores in p for row, y in zip(scores, labels, strict=True)] for p in passes]
    costs = [fmean(math.log(sum(map(math.exp, row))) - row[y] for row, y in p) for p in scored]
    rights = [fmean(row.index(max(row)) == y for row, y in p) for p in scored]
    assert near(line.losses, costs) and near(line.right, rights)
    assert (line.function, line.samples, line.steps) == ("cross_entropy", 16, (4, 8, 12))
    assert found.at(line.where, "eval-loss") and line.trained is not None and 0 < line.trained < 0.5
    for body, one in zip(found.recording.of("evaluation"), scored, strict=True):
        table = Counter((y, row.index(max(row))) for row, y in one)
        assert {(label, answer): n for label, answer, n in body["taken"]} == table
        assert body["of"] == [sum(y == k for _, y in one) for k in range(4)]
    (numbers,) = found.of(ClassNumberings).lines
    assert (numbers.classes, numbers.samples) == (4, 16) and near([numbers.right], rights[-1:])


def test_samples_of_training_and_of_evaluation_are_kept(run: Callable[[str], Run]) -> None:
    found = run("classify")
    kept = found.recording.of("rows")
    assert {body["phase"] for body in kept} == {"train", "eval"}
    batches = [(phase, inputs) for phase, inputs, _, _ in found.truth["batches"]]
    for body, (phase, inputs) in zip(kept, batches, strict=True):
        rows = matrix(body["x"]).tolist()
        assert body["phase"] == phase and body["shape"] == [len(inputs), 6] and len(body["h"]) == len(rows)
        assert near(rows, inputs[:: -(-len(inputs) // max(len(rows), 1))])
