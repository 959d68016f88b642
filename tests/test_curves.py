"""A curve's shape is read right with and without noise, and two curves differ only when they really do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from statistics import fmean, pstdev

import pytest

from stetho.curves import Shape, best_level, clearly_lower, finite, held_constant, shape, swing

NAN, INF = math.nan, math.inf
PAIRS = 200


def noisy(
    random_: random.Random, *, steps: int = 200, level: float = 2.0, noise: float = 0.1, drop: float = 0.0
) -> list[float]:
    """A curve that comes down to a level and stays there; noise is a share of the level."""
    floor = level * (1 - drop)
    return [floor * (1 + 0.5 * math.exp(-i / (steps / 10)) + random_.gauss(0, noise)) for i in range(steps)]


def drifting(random_: random.Random, *, steps: int = 200, noise: float = 0.3) -> list[float]:
    """Noise that remembers: each value keeps eight tenths of the last one's deviation."""
    values, deviation = [], 0.0
    for _ in range(steps):
        deviation = 0.8 * deviation + random_.gauss(0, 0.6 * noise)
        values.append(2.0 * (1 + deviation))
    return values


def known(values: list[float]) -> Shape:
    found = shape(values)
    assert found is not None
    return found


# --- shape ---------------------------------------------------------------------------------------------------


def test_a_straight_line_is_read_exactly() -> None:
    values = [100.0 - i for i in range(100)]
    seen = known(values)
    assert seen.start == fmean(values[:5])
    assert seen.end == fmean(values[-20:])
    assert seen.lowest == 1.0
    assert seen.steps == 100
    # Every jump is 1, and a jump between two noisy values is 0.954 standard deviations in the median.
    assert seen.noise == pytest.approx(1 / 0.954)
    # The error of a median; a steady fall adds nothing to it.
    assert seen.error == pytest.approx(1.2533 * seen.noise / math.sqrt(20))
    # From the third quarter (mean 38) to the fourth (mean 13).
    assert seen.falling == pytest.approx(25 / (seen.noise * math.sqrt(2 / 25)))


@pytest.mark.parametrize("level", [2.303, 0.0, -7.5, 1e-30, 1e30])
def test_a_constant_has_no_noise_and_does_not_fall(level: float) -> None:
    seen = known([level] * 50)
    assert (seen.start, seen.lowest) == (level, level)
    assert seen.end == pytest.approx(level)
    assert seen.noise == 1e-12
    assert abs(seen.falling) < 1e-3
    assert swing([level] * 50) == pytest.approx(0.0, abs=1e-12)


def test_noise_is_measured_around_the_local_level() -> None:
    """The spread of the noise, not the fall of the curve it rides on."""
    random_ = random.Random(1)
    found = [known([5 - 0.004 * i + random_.gauss(0, 0.1) for i in range(1000)]).noise for _ in range(50)]
    assert fmean(found) == pytest.approx(0.1, rel=0.05)
    assert all(0.06 < noise < 0.15 for noise in found)


def test_the_error_is_that_of_the_end() -> None:
    """Over many curves, `end` varies by no more than `error` says, and not by much less."""
    random_ = random.Random(2)
    shapes = [known([1 + random_.gauss(0, 0.2) for _ in range(200)]) for _ in range(300)]
    said = fmean(s.error for s in shapes)
    assert 0.65 * said < pstdev([s.end for s in shapes]) <= said


def test_falling_is_in_standard_errors() -> None:
    random_ = random.Random(3)
    flat = [known([2 + random_.gauss(0, 0.1) for _ in range(200)]).falling for _ in range(300)]
    assert fmean(flat) == pytest.approx(0.0, abs=0.2)
    assert pstdev(flat) == pytest.approx(1.0, rel=0.3)
    falling = [known([2 - 0.002 * i + random_.gauss(0, 0.1) for i in range(200)]).falling for _ in range(50)]
    rising = [known([2 + 0.002 * i + random_.gauss(0, 0.1) for i in range(200)]).falling for _ in range(50)]
    assert min(falling) > 2 > -2 > max(rising)


@pytest.mark.parametrize("tail", [[NAN] * 30, [INF] * 30, [NAN, INF, -INF] * 10])
def test_what_is_not_finite_is_left_out(tail: list[float]) -> None:
    values = [3.0 - 0.01 * i for i in range(100)]
    assert shape(values + tail) == shape(values)
    assert shape(tail + values) == shape(values)
    assert finite(values + tail) == values
    assert swing(values + tail) == swing(values)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 3.0], [NAN] * 100, [1.0, NAN, 2.0, INF, 3.0]])
def test_too_little_has_no_shape(values: list[float]) -> None:
    assert shape(values) is None
    assert not clearly_lower(values, [0.0] * 50)
    assert not clearly_lower([9.0] * 50, values)


@pytest.mark.parametrize("steps", range(4, 30))
def test_a_short_curve_has_a_whole_shape(steps: int) -> None:
    random_ = random.Random(steps)
    seen = known([random_.gauss(1, 0.1) for _ in range(steps)])
    assert seen.steps == steps
    assert all(math.isfinite(v) for v in (seen.start, seen.end, seen.noise, seen.lowest, seen.falling, seen.error))
    assert seen.noise > 0


def test_a_shape_moves_with_its_curve() -> None:
    """Negative losses are read like any others: shift and scale go through."""
    random_ = random.Random(4)
    values = noisy(random_)
    seen, moved = known(values), known([3 * v - 10 for v in values])
    assert moved.start == pytest.approx(3 * seen.start - 10)
    assert moved.end == pytest.approx(3 * seen.end - 10)
    assert moved.lowest == pytest.approx(3 * seen.lowest - 10)
    assert moved.noise == pytest.approx(3 * seen.noise)
    assert moved.falling == pytest.approx(seen.falling)


# --- swing ---------------------------------------------------------------------------------------------------


def test_swing_is_the_spread_of_the_last_half_over_its_level() -> None:
    values = [99.0] * 10 + [1.0, 3.0] * 5
    assert swing(values) == pytest.approx(pstdev([1.0, 3.0] * 5) / 2.0)
    assert swing([-v for v in values]) == pytest.approx(swing(values))
    assert swing([7 * v for v in values]) == pytest.approx(swing(values))


@pytest.mark.parametrize("values", [[], [5.0], [1.0, 2.0], [1.0, -1.0, 1.0, -1.0], [0.0] * 40, [NAN] * 40])
def test_swing_is_zero_where_there_is_no_level_or_too_little(values: list[float]) -> None:
    assert swing(values) == 0.0


# --- clearly lower -------------------------------------------------------------------------------------------


def rate(make: Callable[[random.Random], tuple[list[float], list[float]]], seed: int) -> float:
    random_ = random.Random(seed)
    return fmean(clearly_lower(*make(random_)) for _ in range(PAIRS))


@pytest.mark.parametrize("steps", [12, 40, 200])
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.3, 1.0])
def test_noise_alone_is_hardly_ever_a_difference(steps: int, noise: float) -> None:
    false = rate(lambda r: (noisy(r, steps=steps, noise=noise), noisy(r, steps=steps, noise=noise)), 5)
    assert false <= 0.03


def test_skewed_noise_alone_is_hardly_ever_a_difference() -> None:
    def make(random_: random.Random) -> tuple[list[float], list[float]]:
        one, two = ([random_.lognormvariate(0, 0.5) for _ in range(200)] for _ in range(2))
        return one, two

    assert rate(make, 6) <= 0.03


def test_noise_that_remembers_is_hardly_ever_a_difference() -> None:
    assert rate(lambda r: (drifting(r), drifting(r)), 7) <= 0.05


@pytest.mark.parametrize(("steps", "noise"), [(40, 0.05), (200, 0.05), (200, 0.1), (1000, 0.2)])
def test_a_fifth_less_is_nearly_always_seen(steps: int, noise: float) -> None:
    seen = rate(lambda r: (noisy(r, steps=steps, noise=noise), noisy(r, steps=steps, noise=noise, drop=0.2)), 8)
    assert seen >= 0.97


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_higher_one_is_never_the_lower_one(noise: float) -> None:
    random_ = random.Random(9)
    for _ in range(50):
        base, better = noisy(random_, noise=noise), noisy(random_, noise=noise, drop=0.2)
        assert clearly_lower(base, better)
        assert not clearly_lower(better, base)


def test_a_difference_too_small_to_matter_is_none_however_certain() -> None:
    assert not clearly_lower([1.0] * 100, [0.91] * 100)
    assert clearly_lower([1.0] * 100, [0.89] * 100)
    assert clearly_lower([1.0] * 100, [0.91] * 100, share=0.05)


def test_the_fall_so_far_is_the_measure_only_where_a_level_says_nothing() -> None:
    """From 10 to 1, another 0.5 less is half of what is left; from 10 to 0.1, through zero, it is a twentieth."""
    fall = [9 * math.exp(-i / 5) for i in range(100)]
    assert clearly_lower([1 + v for v in fall], [0.5] * 100)
    assert not clearly_lower([0.1 + v for v in fall], [-0.4] * 100)
    assert clearly_lower([0.1 + v for v in fall], [-1.0] * 100)


def test_negative_losses_are_compared_like_any_others() -> None:
    random_ = random.Random(10)

    def falls(to: float) -> list[float]:
        return [to + (2 - to) * math.exp(-i / 20) + random_.gauss(0, 0.05) for i in range(200)]

    base, better, alike = falls(-3.0), falls(-5.0), falls(-3.1)
    assert clearly_lower(base, better)
    assert not clearly_lower(better, base)
    assert not clearly_lower(base, alike)


def test_a_curve_that_ends_at_zero_has_a_scale_all_the_same() -> None:
    base = [math.exp(-i / 5) for i in range(100)]
    assert not clearly_lower([v - base[-1] for v in base], [v - base[-1] - 0.05 for v in base])
    assert clearly_lower([v - base[-1] for v in base], [v - base[-1] - 0.2 for v in base])


def test_the_finite_part_is_what_is_compared() -> None:
    assert clearly_lower([2.0] * 50 + [NAN] * 50, [1.0] * 50)
    assert not clearly_lower([1.0] * 50 + [NAN] * 50, [2.0] * 50)
    assert clearly_lower([2.0] * 50, [1.0] * 50 + [INF])


def test_a_curve_is_not_lower_than_itself() -> None:
    random_ = random.Random(11)
    for steps in (4, 10, 100):
        values = noisy(random_, steps=steps)
        assert not clearly_lower(values, values)


# --- the best level ------------------------------------------------------------------------------------------


def test_the_best_level_is_one_that_was_held() -> None:
    values = [3.0] * 40 + [1.0] * 20 + [2.0] * 40
    assert best_level(values) == 1.0
    # A single low value is no level.
    assert best_level([3.0] * 50 + [0.1] + [3.0] * 49) == 3.0


def test_the_best_level_of_a_falling_curve_is_its_end() -> None:
    values = [100.0 - i for i in range(100)]
    found = best_level(values)
    assert found is not None and 1.0 <= found <= 5.0
    rising = best_level(values[::-1])
    assert rising is not None and 1.0 <= rising <= 5.0


@pytest.mark.parametrize("values", [[], [1.0] * 5, [NAN] * 100, [1.0, NAN] * 5])
def test_too_little_has_no_best_level(values: list[float]) -> None:
    assert best_level(values) is None


def test_the_best_level_leaves_out_what_is_not_finite() -> None:
    assert best_level([2.0] * 20 + [NAN, INF, -INF]) == 2.0


def test_one_value_for_nearly_all_is_held_constant() -> None:
    assert held_constant([0.5 + 1e-6 * (i % 3) for i in range(50)]) == (pytest.approx(0.5, rel=1e-4), 50)
    assert held_constant([0.5 + 0.1 * (i % 3) for i in range(50)]) is None
    assert held_constant([0.5] * 10) is None
    assert held_constant([0.0] * 50) is None
