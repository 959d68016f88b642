"""The learning rate when it happened, and how it came there.

## Why it is asked
A rate that is too high, has collapsed or has just reached its peak explains more curves than anything else.

## How it is answered
From the optimizer as it was observed, from the logged rate, or from the configuration.
"""

from stetho.answers import course, curves, setting
from stetho.facts import Config, LearningRate, Metrics
from stetho.question import Question, Way


def from_optimizer(rate: LearningRate, step: int | None) -> str:
    told = course(rate.steps, rate.values, step)
    return f"{told} ({rate.optimizer})" if told and rate.optimizer else told


def from_log(metrics: Metrics, step: int | None) -> str:
    return next((course(curve.steps, curve.values, step) for curve in curves(metrics, "rate")), "")


def from_settings(config: Config, step: int | None) -> str:
    return setting(config, "lr", "learningrate", "baselr", "maxlr", "peaklr", "initlr", "eta", "stepsize")


rate_in_force = Question(
    id="rate-in-force",
    short="learning rate",
    asks="What was the learning rate when it happened, and is there a warm-up or a schedule?",
    about=(
        "loss-nonfinite", "loss-diverging", "loss-oscillating", "loss-spike", "loss-flat", "loss-slow",
        "gradients-exploding", "gradients-vanishing", "metric-stuck",
    ),
    ways=(
        Way(
            LearningRate,
            from_optimizer,
            {
                "constant": (
                    {"optimizer": "SGD", "steps": [0, 10], "values": [0.1, 0.1], "initial": 0.1},
                    10,
                    "0.1 throughout (SGD)",
                ),
                "read from a log": (
                    {"optimizer": "", "steps": [0, 10], "values": [0.1, 0.1], "initial": 0.1},
                    10,
                    "0.1 throughout",
                ),
                "nothing on record": ({"optimizer": "SGD", "steps": [], "values": [], "initial": 0.1}, 10, ""),
            },
        ),
        Way(
            Metrics,
            from_log,
            {
                "a warm-up and a decay": (
                    {"curves": [{"name": "lr", "kind": "rate", "split": "", "file": "log.csv", "points": 4,
                                 "steps": [0, 100, 200, 300], "values": [1e-6, 3e-4, 1e-4, 1e-5]}]},
                    250,
                    "1e-06 at first, 0.0003 at step 100, 0.0001 at step 200",
                ),
                "no rate is logged": ({"curves": []}, 250, ""),
            },
        ),
        Way(
            Config,
            from_settings,
            {
                "as configured": (
                    {"format": "yaml", "values": [{"key": "optim.learning_rate", "text": "3e-4", "number": 3e-4}]},
                    None,
                    "optim.learning_rate 3e-4",
                ),
                "not configured": ({"format": "yaml", "values": [{"key": "lr_scheduler", "text": "cosine"}]}, None, ""),
            },
        ),
    ),
    otherwise="log the rate beside the loss",
)  # fmt: skip
