"""When it began, and what the loss was before.

## Why it is asked
The step separates a fault that is there from the first batch from one that a run grows into.

## How it is answered
From the loss as it was observed or logged: the first value, and the last good one before the symptom.
"""

import math

from stetho.answers import number
from stetho.facts import LossCurve
from stetho.question import Question, Way


def from_curve(curve: LossCurve, step: int | None) -> str:
    steps = curve.steps or tuple(range(len(curve.values)))
    points = list(zip(steps, curve.values, strict=True))
    good = [(s, v) for s, v in points if math.isfinite(v) and (step is None or s < step)]
    if not good or step is None:
        return ""
    first, last = good[0], good[-1]
    return f"step {step}; before it {number(first[1])} at step {first[0]}, {number(last[1])} at step {last[0]}"


onset = Question(
    id="onset",
    short="begins at",
    asks="At which step does it begin, and what was the loss before?",
    about=("loss-nonfinite", "loss-diverging", "loss-spike", "gradients-exploding", "overfitting", "slow-training"),
    ways=(
        Way(
            LossCurve,
            from_curve,
            {
                "NaN after some good steps": (
                    {"values": [2.3, 1.1, 0.9, "nan"], "steps": [0, 10, 20, 30]},
                    30,
                    "step 30; before it 2.3 at step 0, 0.9 at step 20",
                ),
                "wrong from the first step": ({"values": ["nan", "nan"], "steps": [0, 1]}, 0, ""),
                "no step is named": ({"values": [2.3, 1.1], "steps": [0, 10]}, None, ""),
            },
        ),
    ),
    otherwise="log the loss at every step",
)
