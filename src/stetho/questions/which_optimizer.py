"""The optimizer, and what it was made with.

## Why it is asked
What is a usual rate for Adam is too little or too much for SGD, and momentum multiplies it.

## How it is answered
From the optimizers as they were observed, or from the configuration.
"""

from stetho.answers import number, setting
from stetho.facts import Config, Optimizers
from stetho.question import Question, Way


def from_run(found: Optimizers, step: int | None) -> str:
    parts = []
    for one in found.optimizers[:3]:
        made = [f"lr {number(one.rates[0])}"] if one.rates else []
        made += [f"momentum {number(one.momentum)}"] if one.momentum else []
        made += [f"weight decay {number(one.decay)}"] if one.decay else []
        parts.append(f"{one.name} ({', '.join(made)})" if made else one.name)
    return "; ".join(parts)


def from_settings(config: Config, step: int | None) -> str:
    return setting(config, "optimizer", "optim", "opt", "optimizertype", "optimizername", "optimtype")


which_optimizer = Question(
    id="which-optimizer",
    short="optimizer",
    asks="Which optimizer is it, with which momentum and weight decay?",
    about=("loss-nonfinite", "loss-diverging", "loss-oscillating", "loss-flat", "loss-slow", "metric-stuck"),
    ways=(
        Way(
            Optimizers,
            from_run,
            {
                "one": (
                    {"optimizers": [{"name": "SGD", "where": None, "steps": 9, "rates": [0.1], "momentum": 0.9}]},
                    None,
                    "SGD (lr 0.1, momentum 0.9)",
                ),
                "none": ({"optimizers": []}, None, ""),
            },
        ),
        Way(
            Config,
            from_settings,
            {
                "as configured": (
                    {"format": "arguments", "values": [{"key": "optim", "text": "adamw_torch"}]},
                    None,
                    "optim adamw_torch",
                ),
                "not configured": ({"format": "arguments", "values": []}, None, ""),
            },
        ),
    ),
    otherwise="say which optimizer trains it",
)
