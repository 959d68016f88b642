"""Evaluations, and how far their inputs are from those of training."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from stetho.facts import Evaluations, InputShift
from stetho.measure.shift import channels_at

from .lines import TRAIN, fact, line, packed, read, steps, summary, told

STEPS = steps(0, [1.0] * 40)
Rows = list[list[float]]


def rows(step: int, phase: str, values: Rows, *, shape: tuple[int, ...] = (), **more: Any) -> str:
    """Samples of one batch, each with a fingerprint of its own unless they are given."""
    flat = [v for row in values for v in row]
    prints = more.pop("h", [f"{hash(tuple(row)):x}" for row in values])
    x = packed(flat, len(values), len(values[0]))
    shown = list(shape or (len(values), len(values[0])))
    return line("rows", step=step, phase=phase, x=x, h=prints, apart=1, shape=shown, **{"discrete": False, **more})


def drawn(count: int, means: list[float], spread: float = 1.0, seed: int = 0) -> Rows:
    draw = random.Random(seed)
    return [[draw.gauss(mean, spread) for mean in means] for _ in range(count)]


def training(means: list[float], **more: Any) -> list[str]:
    return [rows(step, "train", drawn(16, means, seed=step), **more) for step in range(20)]


def shift(folder: Path, *events: str) -> InputShift:
    return fact(InputShift, read(folder, STEPS, *events))


def test_data_of_one_source_is_no_further_apart_than_parts_of_the_training(tmp_path: Path) -> None:
    found = shift(tmp_path, *training([0.0, 5.0, -2.0]), rows(20, "eval", drawn(200, [0.0, 5.0, -2.0], seed=99)))
    assert (found.trained, found.evaluated, found.features, found.tokens) == (320, 200, 3, False)
    assert found.largest[0].size < 2 * found.usual_largest and found.middle < 0.3


def test_a_feature_in_other_units(tmp_path: Path) -> None:
    held = [[a, 10 * b, c] for a, b, c in drawn(100, [0.0, 5.0, -2.0], seed=99)]
    found = shift(tmp_path, *training([0.0, 5.0, -2.0]), rows(20, "eval", held))
    one = found.largest[0]
    assert one.feature == 1 and 40 < one.size < 50 and 4.5 < one.trained < 5.5 and 45 < one.evaluated < 55
    assert found.largest[1].size < 0.5 and found.usual_largest < 1
    record = read(tmp_path, STEPS, *training([0.0, 5.0, -2.0]), rows(20, "eval", held))
    assert "feature 1 is" in summary(InputShift, record)


def test_another_spread_counts_by_powers_of_two(tmp_path: Path) -> None:
    found = shift(tmp_path, *training([0.0, 0.0]), rows(20, "eval", drawn(300, [0.0, 0.0], spread=4.0, seed=99)))
    assert 1.6 < found.middle < 2.4


def test_training_data_that_is_evaluated_is_left_out(tmp_path: Path) -> None:
    own = drawn(40, [0.0], seed=1)
    prints = [f"p{n}" for n in range(40)]
    events = [line("batch", step=1, phase="train", h=prints), *training([0.0])]
    assert InputShift not in told(read(tmp_path, STEPS, *events, rows(20, "eval", own, h=prints)))
    found = shift(tmp_path, *events, rows(20, "eval", own, h=prints), rows(20, "eval", drawn(40, [9.0], seed=2)))
    assert found.evaluated == 40 and found.largest[0].evaluated > 8


def test_a_large_first_batch_does_not_outweigh_the_others_of_its_pass(tmp_path: Path) -> None:
    sorted_by_class = [rows(20, "eval", drawn(64, [3.0], seed=50), shape=(64, 1))]
    sorted_by_class += [rows(20, "eval", drawn(8, [-3.0 * (n / 16)], seed=60 + n), shape=(64, 1)) for n in range(16)]
    found = shift(tmp_path, *training([0.0]), *sorted_by_class)
    assert found.evaluated == 16 + 16 * 8


def test_few_samples_tell_nothing(tmp_path: Path) -> None:
    assert InputShift not in told(read(tmp_path, STEPS, *training([0.0]), rows(20, "eval", drawn(10, [9.0]))))
    assert InputShift not in told(read(tmp_path, STEPS, *training([0.0])))


def image(colours: list[float], seed: int) -> list[float]:
    draw = random.Random(seed)
    return [colour + draw.gauss(0, 0.1) for colour in colours for _ in range(4)]


def test_channels_in_reverse_order(tmp_path: Path) -> None:
    form = (16, 3, 2, 2)
    batches = [rows(s, "train", [image([0.8, 0.5, 0.2], 16 * s + n) for n in range(16)], shape=form) for s in range(12)]
    held = [image([0.2, 0.5, 0.8], 1000 + n) for n in range(40)]
    found = shift(tmp_path, *batches, rows(20, "eval", held, shape=(40, 3, 2, 2)))
    assert found.swapped and found.features == 3 and {one.feature for one in found.largest[:2]} == {0, 2}


def test_tokens_are_counted(tmp_path: Path) -> None:
    draw = random.Random(0)
    batches = [
        rows(s, "train", [[float(draw.randrange(20)) for _ in range(10)] for _ in range(16)], discrete=True)
        for s in range(12)
    ]
    same = [[float(draw.randrange(20)) for _ in range(10)] for _ in range(64)]
    other = [[float(10 + draw.randrange(20)) for _ in range(10)] for _ in range(64)]
    near = shift(tmp_path, *batches, rows(20, "eval", same, discrete=True))
    far = shift(tmp_path, *batches, rows(20, "eval", other, discrete=True))
    assert near.tokens and near.largest[0].size < 2 * near.usual_largest and 0.4 < far.largest[0].size < 0.6


def test_features_lie_last_and_channels_of_images_and_signals_first() -> None:
    assert [channels_at(s) for s in ((8, 5), (8, 3, 9, 9), (8, 2, 100), (8, 100, 2))] == [1, 1, 1, 2]


def evaluation(step: int, loss: float, site: int = 0, **more: Any) -> str:
    body = {"fn": "cross_entropy", "calls": 2, "n": 16, "right": 0.5, "h": []}
    return line("evaluation", step=step, site=site, loss=loss, **{**body, **more})


def test_evaluations_are_told_apart_by_their_lines_and_by_what_they_are_of(tmp_path: Path) -> None:
    batch = line("batch", step=0, phase="train", h=["a", "b"])
    record = read(
        tmp_path, STEPS, batch,
        evaluation(10, 0.1, 1, h=["a", "b"], right=None), evaluation(10, 1.5, h=["c", "d"]),
        evaluation(20, 0.05, 1, h=["a"], right=None), evaluation(20, 1.6, h=["c"], right=0.25),
        evaluation(30, float("nan"), h=["c"]),
    )  # fmt: skip
    found = fact(Evaluations, record)
    held = found.held_out()
    assert [one.trained for one in found.lines] == [1.0, 0.0] and held is found.lines[1]
    assert (held.where, held.steps, held.losses[:2], held.right[:2]) == (TRAIN, (10, 20, 30), (1.5, 1.6), (0.5, 0.25))
    assert found.like(held) is held and found.like(replace(held, function="mse_loss")) is None
