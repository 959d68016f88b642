"""What series say together: the order of layers, places in epochs, the rate beside the loss, an agent's curves."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from stetho.facts import AgentProgress, Fact, LayerGradients, LossTexture, RateAndLoss, ValidationLoss
from stetho.logged.learning import all_facts
from stetho.series import Series

sys.path.insert(0, str(Path(__file__).parent))
import shapes


def found(kind: type[Fact], logged: shapes.Logged) -> Fact | None:
    facts = (known.fact for known in all_facts(shapes.series_of(logged)))
    return next((fact for fact in facts if isinstance(fact, kind)), None)


def test_lines_at_the_end_of_each_epoch_are_steps_of_the_run() -> None:
    """Keras writes `6/6` on each of them."""
    epochs, steps = np.arange(1.0, 31.0), np.full(30, 6)
    held = Series("val_loss", np.linspace(1, 2, 30), "log", steps, epochs)
    train = Series("loss", np.linspace(1, 0.1, 30), "log", steps, epochs)
    facts = [known.fact for known in all_facts([("text-log", held), ("text-log", train)])]
    fact = next(fact for fact in facts if isinstance(fact, ValidationLoss))
    assert fact.steps[:3] == (6, 12, 18)
    assert fact.training[0] > fact.training[-1] == pytest.approx(0.1, abs=0.05)


def test_layers_come_in_the_order_of_their_numbers() -> None:
    norms = {f"grad_norm/block{i}/weight": np.full(20, 10.0**-i) for i in (10, 2, 1, 0)}
    fact = found(LayerGradients, {"loss": np.linspace(2, 1, 20), **norms})
    assert isinstance(fact, LayerGradients)
    assert [layer.name for layer in fact.layers] == [f"grad_norm/block{i}/weight" for i in (0, 1, 2, 10)]
    assert found(LayerGradients, {"grad_norm": np.ones(20), "grad_norm/layer1": np.ones(20)}) is None


def spiky(distance: int = 50) -> np.ndarray:
    values = np.linspace(2, 0.5, 600) + np.random.default_rng(1).normal(0, 0.02, 600)
    values[20::distance] *= 6
    return values


def test_a_spike_in_each_epoch_is_told_with_its_place_and_lines() -> None:
    fact = found(LossTexture, {"loss": spiky(), "_epochs": np.repeat(np.arange(12.0), 50)})
    assert isinstance(fact, LossTexture) and fact.recurrence is not None
    assert fact.recurrence.place == 20 and fact.recurrence.of == 12 and fact.recurrence.met >= 11
    assert fact.recurrence.lines[0] == fact.recurrence.steps[0] + 1
    assert fact.recurrence.height == pytest.approx(6, rel=0.2)


def test_spikes_at_even_distances_need_no_epochs() -> None:
    fact = found(LossTexture, {"loss": spiky()})
    assert isinstance(fact, LossTexture) and fact.recurrence is not None
    assert fact.recurrence.distance == 50 and fact.recurrence.place is None


def test_spikes_where_the_rate_restarts_are_its_schedule() -> None:
    rate = np.cos(((np.arange(600) - 20) % 50) / 50 * np.pi / 2)
    fact = found(LossTexture, {"loss": spiky(), "lr": rate})
    assert isinstance(fact, LossTexture) and fact.recurrence is None and fact.spike_count >= 10


def test_a_rate_that_ends_with_the_run_is_not_gone() -> None:
    loss = np.linspace(3, 1, 100)
    assert found(RateAndLoss, {"loss": loss, "lr": np.linspace(0.1, 0, 100)}) is None
    fact = found(RateAndLoss, {"loss": loss, "lr": np.maximum(0, np.linspace(0.1, -0.4, 100))})
    assert isinstance(fact, RateAndLoss) and fact.gone_step == 20 and 0.75 < fact.share < 0.85


def test_an_agent_is_told_by_its_rewards() -> None:
    along = np.arange(100)
    logged = {
        "rollout/ep_rew_mean": along * 1.0, "rollout/ep_rew_std": along * 50.0,
        "rollout/ep_len_mean": np.full(100, 200),
        "train/entropy_loss": -1.4 * np.exp(-along / 5), "cross_entropy": np.full(100, 3.0),
    }  # fmt: skip
    fact = found(AgentProgress, logged)
    assert isinstance(fact, AgentProgress)
    assert fact.reward == "rollout/ep_rew_mean" and fact.length == 200 and fact.best == fact.late > fact.early
    assert fact.entropy_first == pytest.approx(1.4 * np.exp(-0.2)) and fact.entropy_gone is not None
    assert found(AgentProgress, {"loss": along}) is None
