"""The first loss beside what answering by chance costs.

## Why it is asked
A first loss far above chance points at the start values or the loss itself; one that stays at chance has learned
nothing.

## How it is answered
From the first steps as they were observed, or from the first logged loss; chance only where the classes are known.
"""

from stetho.answers import number
from stetho.curves import finite
from stetho.facts import FirstLoss, LossCurve
from stetho.question import Question, Way


def from_first(first: FirstLoss, step: int | None) -> str:
    if not first.values:
        return ""
    chance = f", chance is {number(first.chance)}" if first.chance is not None else ""
    return f"{number(first.values[0])}{chance}"


def from_curve(curve: LossCurve, step: int | None) -> str:
    known = finite(curve.values)
    if not known:
        return ""
    chance = f", chance is {number(curve.chance)}" if curve.chance is not None else ""
    return f"{number(known[0])} at first{chance}"


loss_at_start = Question(
    id="loss-at-start",
    short="first loss",
    asks="How many classes are there, or how widely do the targets spread?",
    about=("loss-flat", "loss-slow", "metric-stuck", "loss-diverging", "too-good"),
    ways=(
        Way(
            FirstLoss,
            from_first,
            {
                "ten classes": ({"values": [2.31, 2.29], "chance": 2.303}, None, "2.31, chance is 2.303"),
                "nothing": ({"values": []}, None, ""),
            },
        ),
        Way(
            LossCurve,
            from_curve,
            {
                "logged": ({"values": [6.9, 6.8, 6.7]}, None, "6.9 at first"),
                "never finite": ({"values": ["nan", "nan"]}, None, ""),
            },
        ),
    ),
    otherwise="log the loss of the first step",
)
