"""Simulated runs: what looks odd and is healthy raises no alarm, and faults that a curve shows are seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stetho.catalogue import load
from stetho.check import Judgement, judge_each
from stetho.facts import ConfigValue, LossTexture
from stetho.logged.learning import all_facts

sys.path.insert(0, str(Path(__file__).parent))
import shapes

CHECKS = tuple(load().checks.values())
SYMPTOMS = {one.id for one in CHECKS if one.family == "symptoms"}
SEED, OF_EACH = 7, 12
# What a fault is found by, of so many: some are made too faint or too short to be told.
FOUND = 0.75


def fired(logged: shapes.Logged, settings: tuple[ConfigValue, ...] = ()) -> dict[str, Judgement]:
    facts = {type(known.fact): ("E1", known.fact) for known in all_facts(shapes.series_of(logged), settings)}
    answers = judge_each(CHECKS, facts)
    assert not [answer for answer in answers if any("itself failed" in why for why in answer.missing)]
    return {answer.check: answer for answer in answers if answer.outcome == "fired"}


@pytest.mark.parametrize("make", shapes.HEALTHY)
def test_no_alarm_on_healthy_curves(make: Callable[[Any], shapes.Logged]) -> None:
    alarms = []
    for number in range(OF_EACH):
        seen = fired(make(np.random.default_rng([SEED, number])))
        alarms += [(number, check, seen[check].findings[0].message) for check in SYMPTOMS & set(seen)]
    assert alarms == []


@pytest.mark.parametrize(("make", "symptoms"), shapes.FAULTY.items())
def test_a_fault_is_seen_in_its_curves(make: Callable[[Any], shapes.Logged], symptoms: tuple[str, ...]) -> None:
    seen = [fired(make(np.random.default_rng([SEED + 1, number]))) for number in range(OF_EACH)]
    assert sum(bool(set(symptoms) & set(one)) for one in seen) >= FOUND * OF_EACH


def test_a_million_points_are_read_whole() -> None:
    values = np.exp(np.random.default_rng(3).normal(0, 0.05, 1_000_000)) * np.linspace(2.3, 0.3, 1_000_000)
    values[500_123] = 90.0
    facts = list(all_facts(shapes.series_of({"loss": values})))
    texture = next(known.fact for known in facts if isinstance(known.fact, LossTexture))
    assert [spike.step for spike in texture.spikes] == [500_123] and texture.points == 1_000_000
    assert not SYMPTOMS & set(fired({"loss": values}))


def test_chance_is_known_from_the_configured_classes() -> None:
    """A loss that creeps along the level of guessing is flat, however certain its fall."""
    noise = np.random.default_rng(5).normal(0, 0.004, 400)
    creeps = {"loss": np.linspace(2.31, 2.27, 400) + noise}
    assert "loss-flat" not in fired(creeps)
    assert "loss-flat" in fired(creeps, (ConfigValue("model.num_classes", "10", 10.0),))
    assert "loss-flat" not in fired(creeps, (ConfigValue("model.num_classes", "1000", 1000.0),))


def test_a_limit_from_the_configuration_is_laid_beside_the_gradients() -> None:
    rng = np.random.default_rng(6)
    logged = {"loss": np.linspace(2.33, 2.22, 250) + rng.normal(0, 0.04, 250), "grad_norm": rng.uniform(0.5, 0.7, 250)}
    tight = fired(logged, (ConfigValue("train.max_grad_norm", "0.01", 0.01),))
    assert {"loss-slow", "clip-below-gradients"} <= set(tight)
    assert not {"loss-slow", "clip-below-gradients"} & set(fired(logged, (ConfigValue("grad_clip", "1.0", 1.0),)))
