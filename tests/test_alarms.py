"""Alarms fire when they must, and never on a healthy run."""

from __future__ import annotations

import math
import random

import pytest

from stetho.alarms import divergence, nonfinite, scaler_stuck, stall
from stetho.tail import Series

NAN, INF = math.nan, math.inf


def noise(seed: int = 0):
    return random.Random(seed).gauss


def raised(values: list[float], *, likelihood: bool = True) -> str | None:
    """The first alarm that is raised as the values come in one by one."""
    series = Series()
    for value in values:
        before = len(series.levels)
        series.add(value)
        if len(series.levels) > before:
            text = divergence(series.first, series.levels, series.width, likelihood=likelihood)
            if text:
                return text
    return None


def falling(steps: int, start: float = 2.3, end: float = 0.3, spread: float = 0.1) -> list[float]:
    gauss = noise(steps)
    return [max(1e-3, end + (start - end) * math.exp(-5 * i / steps) + gauss(0, spread)) for i in range(steps)]


HEALTHY = {
    "falls": falling(3000),
    "very noisy": [max(1e-3, v * math.exp(noise(i)(0, 1))) for i, v in enumerate(falling(3000))],
    "one sample at a time": [random.Random(i).expovariate(1.0) * v for i, v in enumerate(falling(5000))],
    "flat at chance": [2.303 + noise(i)(0, 0.01) for i in range(3000)],
    "a bump while the rate warms up": [2.3 + 6 * math.sin(math.pi * i / 250) for i in range(250)] + falling(2000),
    "spikes that recover": [v * (400 if 1000 <= i < 1030 or i % 700 < 3 else 1) for i, v in enumerate(falling(3000))],
    "one enormous batch": [1e9 if i == 1500 else v for i, v in enumerate(falling(3000))],
    "a new, harder task, learned again": falling(2000) + falling(2000) + falling(2000),
    "classes in order": [0.05 + 3 * math.exp(-(i % 100) / 15) for i in range(4000)],
    "overfits and is not sure any more": falling(2000) + [0.3 + 0.4 * i / 4000 for i in range(4000)],
    "teacher forcing wears off": falling(2000, 5.0, 1.0) + [1 + 1.5 * min(1, i / 3000) for i in range(6000)],
    "already trained": [random.Random(i).expovariate(3.0) for i in range(4000)],
    "starts at nothing": [1e-6] * 50 + [0.5 + noise(i)(0, 0.1) for i in range(1000)],
    "a few steps": [2.3, 2.2, 2.4],
}
# Losses that say nothing about likelihood: their scale may move.
AGENTS = {
    "returns grow": [0.5 + (i / 100) ** 2 * (1 + 0.3 * noise(i)(0, 1)) for i in range(3000)],
    "a critic whose rewards are found late": [1e-5] * 2000 + [2.0 + noise(i)(0, 0.5) for i in range(2000)],
    "a policy loss around zero": [noise(i)(0, 0.01 + i / 1000) for i in range(4000)],
    "negative log densities": [5 - 40 * (1 - math.exp(-i / 500)) + noise(i)(0, 3) for i in range(4000)],
    "a penalty that is turned up": [1.0 + i / 100 for i in range(4000)],
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_loss_raises_nothing(name: str) -> None:
    assert raised(HEALTHY[name]) is None


@pytest.mark.parametrize("name", AGENTS)
def test_a_loss_without_a_scale_of_its_own_raises_nothing(name: str) -> None:
    assert raised(AGENTS[name], likelihood=False) is None


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([2.3 * 1.1**i for i in range(300)], "over 1000 times the 2.53 it began at, for 50 steps"),
        ([2.3, 2.4, 2.5] + [4e4 + noise(i)(0, 1e4) for i in range(100)], "over 1000 times the 2.4"),
        ([-50.0 + 0.1 * i for i in range(20)] + [1e6] * 80, "over 1000 times the -49.9"),
    ],
)
def test_an_explosion_is_raised_whatever_the_loss(values: list[float], says: str) -> None:
    assert says in (raised(values, likelihood=False) or "")


def test_a_likelihood_far_above_its_start_is_raised() -> None:
    text = raised([2.3] * 20 + [40.0 + noise(i)(0, 15) for i in range(600)])
    assert text is not None and "over 2 times the 2.3 it began at, for 300 steps" in text


def test_a_likelihood_that_loses_what_it_had_learned_is_raised() -> None:
    learned = falling(5000, 10.8, 3.0)
    assert raised(learned + [7.4 + noise(i)(0, 0.1) for i in range(400)]) is None
    text = raised(learned + [7.4 + noise(i)(0, 0.1) for i in range(2000)])
    assert text is not None and "after a best level of 3" in text


@pytest.mark.parametrize(
    ("losses", "gradient", "says"),
    [
        ([0.5], 1.0, None),
        ([NAN], 1.0, "loss is nan"),
        ([INF], None, "loss is inf"),
        ([0.5], NAN, "the gradient's norm is nan"),
        ([0.5], None, None),
        ([], INF, "the gradient's norm is inf"),
        ([NAN, 0.5], NAN, "loss is nan"),
        ([NAN, 0.5], 1.0, None),  # the program dropped that batch and cleared its gradients
    ],
)
def test_nan_or_inf_in_a_step(losses: list[float], gradient: float | None, says: str | None) -> None:
    assert nonfinite(losses, gradient) == says


def test_a_gradient_scaler_may_leave_out_steps_but_not_all_of_them() -> None:
    assert scaler_stuck(3) is None
    assert "20 steps in a row" in (scaler_stuck(20) or "")


@pytest.mark.parametrize(
    ("quiet", "longest", "steps", "busy", "fires"),
    [
        (100.0, 0.1, 500, False, False),
        (130.0, 0.1, 500, False, True),
        (130.0, 0.1, 3, False, False),  # too few steps to know its pace
        (130.0, 20.0, 500, False, False),  # it has had such gaps before
        (1500.0, 0.1, 500, True, False),  # it computes: evaluation, most likely
        (1900.0, 0.1, 500, True, True),
    ],
)
def test_a_stall_is_long_for_this_run(quiet: float, longest: float, steps: int, busy: bool, fires: bool) -> None:
    assert (stall(quiet, longest, steps, busy=busy) is not None) == fires


def test_the_users_own_limit_counts_alone() -> None:
    assert stall(31.0, 100.0, 2, busy=True, after=30.0) == "no step for 31 s, the limit is 30 s"
    assert stall(29.0, 0.1, 2, busy=False, after=30.0) is None
