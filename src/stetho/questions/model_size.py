"""How many parameters learn.

## Why it is asked
A model that is far larger than its data learns it by heart; one that is far too small cannot follow it.

## How it is answered
From the models as they were observed.
"""

from stetho.answers import number
from stetho.facts import Models
from stetho.question import Question, Way


def from_run(found: Models, step: int | None) -> str:
    known = [one for one in found.models if one.parameters]
    parts = []
    for one in known[:3]:
        learning = f", {number(one.trainable)} of them trained" if one.trainable not in (None, one.parameters) else ""
        parts.append(f"{one.name} of {number(one.parameters or 0)}{learning}")
    return "; ".join(parts)


model_size = Question(
    id="model-size",
    short="parameters",
    asks="How many parameters does the model have, and how many of them are trained?",
    about=("overfitting", "loss-flat", "loss-slow", "metric-stuck", "slow-training"),
    ways=(
        Way(
            Models,
            from_run,
            {
                "partly frozen": (
                    {"models": [{"name": "Net", "where": None, "parameters": 12000, "trainable": 2000}]},
                    None,
                    "Net of 12,000, 2,000 of them trained",
                ),
                "none was called": ({"models": []}, None, ""),
            },
        ),
    ),
    otherwise="count the parameters that ask for a gradient",
)
