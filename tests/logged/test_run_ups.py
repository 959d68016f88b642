"""Many simulated curves: what breaks is seen, and health in all its shapes raises no alarm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from stetho import catalogue
from stetho.check import judge
from stetho.curves import falls_for_ever
from stetho.facts import Fact, LossCurve, Metrics, Scores

CHECKS = catalogue.load().checks
ASKED = ("falls-without-bound", "loss-run-up", "loss-of-nothing", "loss-diverging", "score-worsens-with-loss")
LENGTHS = (16, 30, 60, 150, 600)
Generator = np.random.Generator


def settling(draw: Generator, t: np.ndarray, start: tuple[float, float], fall: tuple[float, float]) -> np.ndarray:
    return draw.uniform(*start) - draw.uniform(*fall) * (1 - np.exp(-draw.uniform(1, 12) * t))


def late(draw: Generator, t: np.ndarray) -> np.ndarray:
    middle, sharp = draw.uniform(0.2, 0.8), draw.uniform(8, 40)
    return draw.uniform(0.5, 3) - draw.uniform(1, 30) / (1 + np.exp(-(t - middle) * sharp))


def spiky(draw: Generator, t: np.ndarray) -> np.ndarray:
    values = 3 * np.exp(-4 * t) + 0.2
    values[draw.integers(0, len(t), max(1, len(t) // 30))] *= draw.uniform(3, 60)
    return values


HEALTHY: dict[str, Callable[[Generator, np.ndarray], np.ndarray]] = {
    "a cross-entropy": lambda d, t: settling(d, t, (2, 9), (0.5, 2)),
    "a density": lambda d, t: settling(d, t, (0.1, 5), (0.5, 60)),
    "a density of many dimensions": lambda d, t: settling(d, t, (100, 9000), (200, 20000)),
    "a late start": late,
    "a policy": lambda d, t: d.normal(0, d.uniform(0.01, 1), len(t)) - t * d.uniform(0, 3),
    "a young run": lambda d, t: d.uniform(0.1, 5) - d.uniform(0.5, 20) * t,
    "restarts of the rate": lambda d, t: 2 * np.exp(-3 * t) + 0.3 * np.abs(np.sin(6 * np.pi * t)),
    "spikes that recover": spiky,
    "an annealed term": lambda d, t: 5 * np.exp(-5 * t) + 2 * np.clip(3 * t, 0, 1),
    "a value that grows": lambda d, t: d.uniform(0.1, 1) * np.exp(t * d.uniform(0, 3)),
}


def noisy(draw: Generator, values: np.ndarray) -> np.ndarray:
    size = draw.choice([0, 0.01, 0.05, 0.15]) * draw.choice([1.0, np.abs(values).mean()])
    tails = draw.standard_t(2.5, len(values)) if draw.random() < 0.4 else draw.normal(0, 1, len(values))
    return values + size * tails


def logged(values: list[float], failed: int | None = None) -> dict[type[Fact], tuple[str, Fact]]:
    steps = tuple(range(len(values)))
    score = tuple(float(v) for v in 0.9 - 0.8 * np.exp(-4 * np.linspace(0, 1, len(values))))
    curve = LossCurve(tuple(values), steps, nonfinite_step=failed, nonfinite_in="loss", logged=True)
    return {
        LossCurve: ("E1", curve),
        Metrics: ("E2", Metrics(())),
        Scores: ("E3", Scores("acc", "", steps, score)),
    }


@pytest.mark.parametrize("name", HEALTHY)
def test_health_raises_no_alarm(name: str) -> None:
    draw = np.random.default_rng(7)
    for _ in range(40):
        t = np.linspace(0, 1, int(draw.choice(LENGTHS)))
        facts = logged([float(v) for v in noisy(draw, HEALTHY[name](draw, t))])
        assert [one for one in ASKED if judge(CHECKS[one], facts).outcome == "fired"] == []


def test_what_is_maximised_is_seen() -> None:
    draw = np.random.default_rng(3)
    seen = 0
    for _ in range(100):
        t = np.linspace(0, 1, int(draw.choice([30, 100, 400])))
        growth = (np.exp(t * draw.uniform(4, 12)), 1 + (t * draw.uniform(6, 60)) ** 2)[draw.integers(0, 2)]
        values = -draw.uniform(0.05, 10) * growth * (1 + draw.normal(0, 0.05, len(t)))
        seen += falls_for_ever([float(v) for v in values]) is not None
    assert seen >= 85


def test_a_run_up_is_told_from_a_blow_out_of_the_blue() -> None:
    draw = np.random.default_rng(5)
    seen = mistaken = 0
    for _ in range(100):
        calm = [
            float(v)
            for v in noisy(draw, settling(draw, np.linspace(0, 1, int(draw.choice(LENGTHS))), (2, 9), (0.5, 1.5)))
        ]
        climb = [float(v) for v in max(calm[-1], 0.05) * np.cumprod(draw.uniform(1.3, 4, draw.integers(5, 15)))]
        lost = [float("nan")] * 3
        up, sudden = logged([*calm, *climb, *lost], len(calm) + len(climb)), logged([*calm, *lost], len(calm))
        seen += judge(CHECKS["loss-run-up"], up).outcome == "fired"
        mistaken += judge(CHECKS["loss-run-up"], sudden).outcome == "fired"
    assert seen >= 90
    assert mistaken <= 1
