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
    share=0.03,
    symptoms={"loss-diverging": 0.70, "loss-nonfinite": 0.15, "metric-stuck": 0.05, "none": 0.08},
    predicts={"falls-without-bound": 0.93, "score-worsens-with-loss": 0.85},
    mechanism=("falls-without-bound", "score-worsens-with-loss"),
    statement="the objective has the wrong sign",
    test="turn the sign of the loss round: if it does not learn then, it is not this",
    fix="turn the sign of the loss round",
)
