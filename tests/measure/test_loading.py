"""Loaders and their epochs, and samples that come again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stetho import recording
from stetho.facts import Fingerprints, Loaders, TrainingSet

from .lines import HEAD, MAKE, fact, line, read, steps, summary, told, write


def loader(number: int, **more: Any) -> str:
    body = {
        "l": number, "site": 1, "samples": 8, "batches": 2, "batch": 4, "workers": 0, "sampler": "RandomSampler",
        "shuffle": True, "drop_last": False, "iterable": False, "persistent": False, "generators": [],
    }  # fmt: skip
    return line("loader", **{**body, **more})


def epoch(number: int, step: int) -> str:
    return line("epoch", l=number, step=step)


def batch(step: int, prints: str, phase: str = "train", **more: Any) -> str:
    return line("batch", step=step, phase=phase, h=list(prints), **more)


STEPS = steps(0, [1.0] * 8)


def prints(folder: Path, *events: str) -> Fingerprints:
    return fact(Fingerprints, read(folder, STEPS, *events))


# --- loaders -------------------------------------------------------------------------------------------------


def test_a_loader_with_all_its_settings(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        STEPS,
        loader(0, workers=2, generators=["rng"], persistent=True),
        epoch(0, 0),
        epoch(0, 2),
        epoch(0, 4),
    )
    (one,) = fact(Loaders, record).loaders
    assert (one.where, one.samples, one.batches, one.batch) == (MAKE, 8, 2, 4)
    assert (one.workers, one.sampler, one.shuffle, one.drop_last) == (2, "RandomSampler", True, False)
    assert (one.iterable, one.persistent, one.generators) == (False, True, ("rng",))
    assert (one.epochs, one.steps_per_epoch, one.phase) == (3, 2.0, None)
    assert "shuffled, 2 workers, begun 3 times" in summary(Loaders, record)


def test_a_stream_has_no_length(tmp_path: Path) -> None:
    endless = loader(0, samples=None, batches=None, shuffle=None, iterable=True, sampler="_InfiniteConstantSampler")
    (one,) = fact(Loaders, read(tmp_path, STEPS, endless, epoch(0, 0))).loaders
    assert (one.samples, one.batches, one.shuffle, one.iterable) == (None, None, None, True)
    assert (one.epochs, one.steps_per_epoch) == (1, None)


def test_a_loader_that_was_never_used(tmp_path: Path) -> None:
    (one,) = fact(Loaders, read(tmp_path, STEPS, loader(0))).loaders
    assert (one.epochs, one.phase) == (0, None)


def test_without_a_loader_nothing_is_said(tmp_path: Path) -> None:
    assert Loaders not in told(read(tmp_path, STEPS))


def evaluated(step: int, number: int, shown: list[str]) -> str:
    return epoch(number, step) + "".join(batch(step, p, "eval") for p in shown)


@pytest.mark.parametrize("tests", [["vw"], ["vw", "xy"], ["vw", "xy", "zz"]])
def test_phases_of_loaders_are_told_by_their_batches(tmp_path: Path, tests: list[str]) -> None:
    events = [loader(0), loader(1, shuffle=False)]
    for number in range(3):
        events += [epoch(0, 2 * number), batch(2 * number, "ab"), batch(2 * number + 1, "cd")]
        events += [evaluated(2 * number + 2, 1, tests)]
    record = read(tmp_path, STEPS, *events)
    assert [one.phase for one in fact(Loaders, record).loaders] == ["train", "eval"]
    assert fact(Fingerprints, record).epochs == 3


def test_an_evaluation_without_a_loader_between_two_epochs_is_not_the_loaders(tmp_path: Path) -> None:
    events = [loader(0)]
    for number in range(3):
        events += [epoch(0, 2 * number), batch(2 * number, "ab"), batch(2 * number + 1, "cd")]
        events += [batch(2 * number + 2, "vw", "eval")]
    assert [one.phase for one in fact(Loaders, read(tmp_path, STEPS, *events)).loaders] == ["train"]


def test_an_evaluation_inside_an_epoch_does_not_end_it(tmp_path: Path) -> None:
    events = [loader(0), loader(1), epoch(0, 0), batch(0, "ab"), epoch(1, 1), batch(1, "ab", "eval"), batch(1, "ab")]
    found = prints(tmp_path, *events)
    assert (found.epochs, found.repeated) == (1, 2)


def test_a_batch_that_names_its_loader_is_believed(tmp_path: Path) -> None:
    events = [loader(0), loader(1), epoch(0, 0), epoch(1, 0)]
    events += [batch(0, "v", "eval", l=1), batch(0, "ab", l=0), batch(1, "cd", l=0), epoch(0, 2), batch(2, "ba", l=0)]
    record = read(tmp_path, STEPS, *events)
    assert [one.phase for one in fact(Loaders, record).loaders] == ["train", "eval"]
    found = fact(Fingerprints, record)
    assert (found.epochs, found.epochs_compared, found.same_order) == (2, 1, 0)


# --- fingerprints --------------------------------------------------------------------------------------------


def test_each_sample_once_in_every_epoch_in_another_order(tmp_path: Path) -> None:
    orders = [("abcd", "efgh"), ("hgfe", "dcba"), ("aceg", "bdfh")]
    events = [loader(0)]
    for number, (one, two) in enumerate(orders):
        events += [epoch(0, 2 * number), batch(2 * number, one), batch(2 * number + 1, two)]
    found = prints(tmp_path, *events)
    assert (found.batches, found.samples, found.distinct, found.distinct_batches) == (6, 24, 8, 6)
    assert (found.epochs, found.repeated, found.same_as_before) == (3, 0, 0)
    assert (found.epochs_compared, found.same_order) == (2, 0)


def test_the_same_order_in_every_epoch(tmp_path: Path) -> None:
    events = [loader(0)]
    for number in range(3):
        events += [epoch(0, 2 * number), batch(2 * number, "abcd"), batch(2 * number + 1, "efgh")]
    found = prints(tmp_path, *events)
    assert (found.epochs_compared, found.same_order, found.distinct_batches) == (2, 2, 2)
    assert "the same order in 2 of 2 later epochs" in summary(Fingerprints, read(tmp_path, STEPS, *events))


def test_epochs_that_share_no_position_are_not_compared(tmp_path: Path) -> None:
    events = [loader(0), epoch(0, 0), batch(0, "ab"), epoch(0, 5), batch(10, "ab")]
    assert prints(tmp_path, *events).epochs_compared == 0


def test_samples_that_come_again_within_an_epoch(tmp_path: Path) -> None:
    found = prints(tmp_path, loader(0), epoch(0, 0), batch(0, "abab"), batch(1, "aefg"))
    assert (found.repeated, found.distinct) == (3, 5)


def test_the_same_batch_again_and_again(tmp_path: Path) -> None:
    found = prints(tmp_path, batch(0, "ab"), batch(1, "ab"), batch(2, "ab"), batch(3, "ba"))
    assert (found.same_as_before, found.distinct_batches, found.distinct) == (2, 2, 2)


def test_a_closure_may_look_at_its_batch_more_than_once(tmp_path: Path) -> None:
    events = [loader(0), epoch(0, 0), *[batch(0, "ab")] * 5, *[batch(1, "cd")] * 5]
    found = prints(tmp_path, *events)
    assert (found.same_as_before, found.repeated) == (0, 0)


def test_samples_of_evaluation_that_were_trained_on(tmp_path: Path) -> None:
    found = prints(tmp_path, batch(0, "abc"), batch(1, "cxyz", "eval"), batch(1, "cx", "eval"))
    assert (found.evaluated, found.shared) == (4, 1)


def test_without_a_loader_epochs_are_unknown(tmp_path: Path) -> None:
    found = prints(tmp_path, batch(0, "ab"))
    assert (found.epochs, found.repeated, found.epochs_compared, found.same_order) == (None,) * 4
    assert (found.evaluated, found.shared) == (0, 0)


@pytest.mark.parametrize("nothing", ["", batch(0, ""), batch(0, "ab", "eval")])
def test_no_training_batch_was_looked_at(tmp_path: Path, nothing: str) -> None:
    assert Fingerprints not in told(read(tmp_path, STEPS, nothing))


def test_a_thinned_segment_does_not_make_two_epochs_one(tmp_path: Path) -> None:
    """The beginning of the third epoch was thinned out: its samples must not look like repeats."""
    whole = [loader(0), epoch(0, 0), batch(0, "ab"), batch(1, "cd"), epoch(0, 2), batch(2, "ab"), batch(3, "cd")]
    write(tmp_path, HEAD + steps(0, [1.0] * 4) + "".join(whole), "r0-1.jsonl")
    write(tmp_path, line("thinned") + steps(4, [1.0], every=2) + batch(4, "ab") + batch(6, "ab"), "r0-1.1.jsonl")
    record = recording.read(tmp_path)
    found = fact(Fingerprints, record)
    assert (found.epochs, found.repeated, found.same_order, found.batches) == (2, 0, 1, 6)
    (one,) = fact(Loaders, record).loaders
    assert (one.epochs, one.steps_per_epoch) == (None, 2.0)


# --- how many samples there are ------------------------------------------------------------------------------

MODEL = line("model", **{"class": "Net", "site": 1, "parameters": 900, "trainable": 800})


def test_a_loader_tells_how_many_samples_there_are_to_train_on(tmp_path: Path) -> None:
    loaders = loader(0, samples=60) + loader(1, samples=500)
    passes = epoch(0, 0) + batch(0, "abcd", l=0) + epoch(1, 2) + batch(2, "wxyz", "eval", l=1)
    found = fact(TrainingSet, read(tmp_path, STEPS, MODEL, loaders, passes))
    assert (found.samples, found.parameters, found.by_loader) == (60, 800, True)


def test_samples_that_come_again_and_again_are_all_there_are(tmp_path: Path) -> None:
    again = [batch(step, "abcd" if step % 2 else "efgh") for step in range(8)]
    found = fact(TrainingSet, read(tmp_path, STEPS, MODEL, *again))
    assert (found.samples, found.by_loader) == (8, False)
    new = [batch(step, chr(97 + 2 * step) + chr(98 + 2 * step)) for step in range(8)]
    assert TrainingSet not in told(read(tmp_path, STEPS, MODEL, *new))
