"""The objective is maximised where it should be minimised, or the reverse.

## What happens
A minus is missing or one too many: each step makes the model worse by what should be measured. The loss falls without
end, below zero and faster and faster, and the score falls below chance.

## How it is told apart
The loss has no floor, and the score gets worse as the loss gets better. Turning the sign round lets it learn.

## How it is fixed
Turn the sign round, in the loss or in the optimizer's `maximize`.
"""

from stetho.cause import Cause

wrong_sign = Cause(
    id="loss/wrong-sign",
    share=0.07,
    symptoms={
        "loss-diverging": 0.58, "loss-nonfinite": 0.15, "metric-stuck": 0.04, "loss-flat": 0.03, "loss-spike": 0.02,
        "none": 0.16,
    },
    predicts={
        "sign-turned-round": 0.50,
        "falls-without-bound": 0.90,
        "score-worsens-with-loss": 0.85,
        "answers-below-chance": 0.50,
        "fits-worse-as-it-falls": 0.50,
        "negated-loss": {"symptom-gone": 0.68, "better": 0.26, "same": 0.03, "worse": 0.02, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.04, "better": 0.06, "same": 0.55, "worse": 0.33, "new-failure": 0.02},
        "lr=x0.01": {"symptom-gone": 0.08, "better": 0.06, "same": 0.45, "worse": 0.39, "new-failure": 0.02},
    },
    mechanism=(
        "sign-turned-round", "falls-without-bound", "score-worsens-with-loss", "answers-below-chance",
        "fits-worse-as-it-falls",
    ),
    statement="the objective has the wrong sign",
    test="turn the sign of the loss round: if it does not learn then, it is not this",
    fix="turn the sign of the loss round",
    trial="negated-loss",
)  # fmt: skip
