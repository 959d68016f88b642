"""The numbers that enter the model.

## Why it is asked
Inputs in raw units, or with NaN in them, break a run whatever its settings are.

## How it is answered
From the batches as they were observed; no log says it.
"""

from stetho.answers import number
from stetho.facts import InputScale
from stetho.question import Question, Way


def from_batches(scale: InputScale, step: int | None) -> str:
    if scale.discrete:
        return "indices, which have no scale"
    bad = f", {number(scale.nonfinite)} of them not finite" if scale.nonfinite else ""
    within = f"from {number(scale.low)} to {number(scale.high)}"
    return f"mean {number(scale.mean)}, deviation {number(scale.std)}, {within}{bad}"


input_range = Question(
    id="input-range",
    short="inputs",
    asks="What are the mean, the deviation and the extremes of the inputs as they enter the model?",
    about=("loss-nonfinite", "loss-diverging", "loss-flat", "loss-slow", "loss-spike", "metric-stuck"),
    ways=(
        Way(
            InputScale,
            from_batches,
            {
                "raw bytes": (
                    {"mean": 128.0, "std": 70.0, "low": 0.0, "high": 255.0},
                    None,
                    "mean 128, deviation 70, from 0 to 255",
                ),
                "tokens": (
                    {"mean": 500.0, "std": 300.0, "low": 0.0, "high": 999.0, "discrete": True},
                    None,
                    "indices, which have no scale",
                ),
            },
        ),
    ),
    otherwise="`stetho run -- COMMAND` records them",
)
