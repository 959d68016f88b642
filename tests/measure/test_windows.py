"""Samples that are windows of a series: which overlap, and whether they hold what they are to predict."""

from __future__ import annotations

import random
from pathlib import Path

from stetho.facts import SeriesWindows

from .lines import fact, line, packed, read, steps, told
from .test_held_out import rows

STEPS = steps(0, [1.0] * 40)
DRAW = random.Random(3)
SERIES = [DRAW.gauss(0, 1) for _ in range(1200)]
WINDOWS = [SERIES[i : i + 24] for i in range(1100)]
BY_LOT = random.Random(4).sample(WINDOWS, len(WINDOWS))


def split(train: list[list[float]], held: list[list[float]]) -> list[str]:
    """Training batches of sixteen, and one evaluation."""
    batches = [rows(n, "train", train[16 * n : 16 * n + 16]) for n in range(len(train) // 16)]
    return [*batches, rows(39, "eval", held)]


def found(folder: Path, *events: str) -> SeriesWindows:
    return fact(SeriesWindows, read(folder, STEPS, *events))


def test_windows_dealt_out_by_lot_overlap_across_the_split(tmp_path: Path) -> None:
    one = found(tmp_path, *split(BY_LOT[:640], BY_LOT[800:1000]))
    assert (one.length, one.trained, one.held_out) == (24, 640, 200)
    assert one.among_trained == 640 and one.among_held_out == 200 and one.shared > 0.9


def test_windows_split_by_time_overlap_at_the_border_only(tmp_path: Path) -> None:
    one = found(tmp_path, *split(random.Random(5).sample(WINDOWS[:800], 640), WINDOWS[800:1000]))
    assert one.among_trained > 630 and 5 <= one.among_held_out <= 20


def test_samples_that_only_come_again_are_no_windows(tmp_path: Path) -> None:
    apart = [[DRAW.gauss(0, 1) for _ in range(24)] for _ in range(160)]
    assert SeriesWindows not in told(read(tmp_path, STEPS, *split(apart + apart, apart[:60])))


def test_values_that_repeat_by_nature_are_no_windows(tmp_path: Path) -> None:
    zeros = [[float(n == place) for place in range(24)] for n in range(24)] * 8
    levels = [[float(DRAW.randrange(4)) for _ in range(24)] for _ in range(192)]
    for samples in (zeros, levels):
        assert SeriesWindows not in told(read(tmp_path, STEPS, *split(samples, samples[:50])))


def test_a_window_that_ends_with_its_target(tmp_path: Path) -> None:
    def pairs(targets: list[float]) -> str:
        x = packed([v for row in WINDOWS[:300] for v in row], 300, 24)
        return line("pairs", x=x, y=packed(targets, 300, 1), n=300, whole=False, discrete=False)

    events = split(BY_LOT[:640], WINDOWS[:20])
    within = found(tmp_path, *events, pairs([50 + 8 * row[-1] for row in WINDOWS[:300]]))
    assert (within.target_at, within.places) == (23, 24)
    ahead = found(tmp_path, *events, pairs([50 + 8 * SERIES[i + 24] for i in range(300)]))
    assert (ahead.target_at, ahead.places) == (None, 24)
