"""The series of a run become the facts that checks read, whatever the log calls them and wherever they lie."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from stetho.facts import (
    Fact,
    GradientNorms,
    LearningRate,
    LossCurve,
    Memory,
    Metrics,
    Pace,
    Resumptions,
    Scores,
    ValidationLoss,
)
from stetho.logged.assembly import facts_of
from stetho.logged.roles import role
from stetho.logged.steps import joined, place
from stetho.series import Series


def series(name: str, values: Any, steps: Any = None, **more: Any) -> Series:
    whole = np.asarray(list(values), dtype=np.float64)
    placed = np.arange(len(whole)) if steps is None else None if steps is False else np.asarray(list(steps))
    return Series(name, whole, "run.log", placed, at=np.arange(1, len(whole) + 1), **more)


def found(*all_of_them: Series, form: str = "text") -> dict[type[Fact], Any]:
    return {type(known.fact): known.fact for known in facts_of([(form, one) for one in all_of_them])}


@pytest.mark.parametrize(
    ("name", "kind", "split"),
    [
        ("loss", "loss", ""), ("train/loss", "loss", "training"), ("valLoss", "loss", "validation"),
        ("eval_loss", "loss", "validation"), ("lm loss", "loss", ""), ("validation_0-rmse", "loss", "validation"),
        ("training's l2", "loss", "training"), ("perplexity", "loss", ""), ("train_acc", "score", "training"),
        ("val_f1", "score", "validation"), ("top1", "score", ""), ("learning_rate", "rate", ""),
        ("lr-Adam", "rate", ""), ("grad_norm", "gradient", ""), ("gnorm", "gradient", ""),
        ("policy_gradient_loss", "loss", ""),
        ("loss_scale", "other", ""), ("tps", "pace", ""), ("eval_samples_per_second", "pace", "validation"),
        ("step_time", "duration", ""), ("global_step", "step", ""), ("epoch", "epoch", ""),
        ("ep_rew_mean", "reward", ""), ("memory", "memory", ""), ("gpu_mem_allocated", "memory", ""),
        ("temperature", "other", ""), ("", "other", ""),
    ],
)  # fmt: skip
def test_a_name_says_what_it_is(name: str, kind: str, split: str) -> None:
    assert (role(name).kind, role(name).split) == (kind, split)


def test_a_run_in_several_metrics() -> None:
    falls = 2.3 * 0.97 ** np.arange(100)
    facts = found(
        series("train/loss", falls, times=np.arange(100) * 2.0),
        series("train/loss_ce", falls),
        series("val/loss", [2.0, 1.0, 0.8, 0.7], [20, 40, 60, 80]),
        series("val/acc", [0.2, 0.5, 0.6, 0.7], [20, 40, 60, 80]),
        series("lr", np.full(100, 1e-3)),
        series("grad_norm", np.full(100, 0.5)),
        series("mem", np.full(100, 3.5)),
        series("epoch", np.arange(100) // 10),
    )
    curve, held = facts[LossCurve], facts[ValidationLoss]
    assert curve.values == tuple(falls) and curve.logged and curve.objectives == 1 and curve.nonfinite_step is None
    assert held.steps == (20, 40, 60, 80) and held.values == (2.0, 1.0, 0.8, 0.7)
    assert all(abs(level - falls[step - 5]) < 0.15 for step, level in zip(held.steps, held.training, strict=True))
    assert facts[Scores].values[-1] == 0.7 and facts[LearningRate].initial == 1e-3
    assert facts[GradientNorms].norms == (0.5,) * 100
    assert facts[Pace].seconds == (2.0,) * 99 and facts[Pace].longest_gap == 2.0
    assert facts[Memory].highest == int(3.5 * 2**30)
    assert {c.name for c in facts[Metrics].curves} >= {"train/loss", "val/acc", "lr"}
    assert "epoch" not in {c.name for c in facts[Metrics].curves}
    assert Resumptions not in facts


def test_two_players_have_no_loss_to_judge_alone() -> None:
    assert found(series("d_loss", [1.0] * 30), series("g_loss", [1.0] * 30))[LossCurve].objectives == 2
    assert found(series("policy_loss", [1.0] * 30), series("ep_rew_mean", [1.0] * 30))[LossCurve].objectives == 2


def test_a_nan_that_stays_and_one_that_does_not() -> None:
    def step(*values: float) -> int | None:
        return found(series("loss", values, range(10, 10 + len(values))))[LossCurve].nonfinite_step

    nan, inf = math.nan, math.inf
    assert step(1, 1, 1, nan, nan, nan) == 13
    assert step(1, 1, nan, 1, 1, 1) is None
    assert step(1, 1, nan, 1, 1, 1, 1, 1, 1, inf, nan, nan) == 19
    assert step(1, 1, 1, 1, nan) == 14
    assert step(nan, 1, 1, 1) is None
    facts = found(series("loss", [1.0, 0.5, 0.0, 0.0]), series("grad_norm", [1.0, 1.0, nan, nan]))
    assert (facts[LossCurve].nonfinite_step, facts[LossCurve].nonfinite_in) == (2, "gradient")


def test_steps_that_begin_anew_with_each_epoch_are_counted_on() -> None:
    by_steps = place(series("loss", range(30), [*range(10)] * 3))
    assert by_steps.steps.tolist() == list(range(30)) and not by_steps.back
    epochs = np.repeat([0.0, 1.0], 10)
    by_epochs = place(series("loss", range(20), [*range(0, 100, 10)] * 2, epochs=epochs))
    assert by_epochs.steps.tolist() == [*range(0, 100, 10), *range(91, 191, 10)] and not by_epochs.back


def test_a_run_that_was_taken_up_again_is_one_curve() -> None:
    values = [*(2.0 - 0.01 * i for i in range(60)), *(1.5 - 0.01 * i for i in range(60))]
    facts = found(series("loss", values, [*range(60), *range(50, 110)]))
    assert facts[LossCurve].steps == tuple(range(110))
    assert facts[LossCurve].values[49:51] == (values[49], values[60])
    (point,) = facts[Resumptions].points
    assert (point.left, point.entered) == (59, 50) and point.before == pytest.approx(1.555)
    assert point.after == pytest.approx(1.48)


def test_files_of_one_format_are_joined_and_the_fullest_format_counts() -> None:
    parts = [
        series("loss", [0.5] * 10, range(10, 20), times=np.arange(10) + 100.0),
        series("loss", [1.0] * 10, range(10), times=np.arange(10) + 1.0),
    ]
    assert joined(parts).values.tolist() == [1.0] * 10 + [0.5] * 10
    known = facts_of([("events", parts[0]), ("events", parts[1]), ("csv", series("Loss", [7.0] * 5))])
    curve = next(k.fact for k in known if isinstance(k.fact, LossCurve))
    assert curve.values == (1.0,) * 10 + (0.5,) * 10


@pytest.mark.parametrize("size", [20, 100_000, 10_000_000])
def test_short_and_long_curves_keep_their_extremes(size: int) -> None:
    values = 1.0 + 0.1 * np.sin(np.arange(size))
    values[size // 3] = 50.0
    curve = found(series("loss", []), Series("loss", values, "f", np.arange(size)))[LossCurve]
    assert len(curve.values) <= 4005 and max(curve.values) == 50.0
    assert curve.values[0] == values[0] and curve.steps[-1] == size - 1


def test_nothing_comes_of_nothing() -> None:
    assert found() == {} and found(series("loss", [])) == {}
    assert found(series("step", range(10)), series("epoch", range(10))) == {}
