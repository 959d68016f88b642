"""NaN or Inf on one rank poisons all of them.

## What happens
One rank meets a number that is not finite: a bad sample in its share of the data, a faulty device. Its gradients are
added to those of the others, and with the next step every replica is lost.

## How it is told apart
The loss of that rank is NaN a step before the others', or it alone is. Where all ranks fail in the same step, the
weights or the code are the reason.

## How it is fixed
Look at what that rank read at that step, and at its device; let all ranks leave out a step when one of them has a
gradient that is not finite.
"""

from stetho.cause import Cause

one_rank_nonfinite = Cause(
    id="dist/one-rank-nonfinite",
    share=0.06,
    context={"several-ranks": (5.0, 0.05)},
    symptoms={"loss-nonfinite": 0.85, "crash": 0.10},
    predicts={"one-rank-nonfinite-first": 0.95, "one-rank-ahead": 0.95},
    mechanism=("one-rank-nonfinite-first", "one-rank-ahead"),
    statement="NaN or Inf on one rank poisons all of them",
    test="leave out what that rank read at that step: if it still fails there, it is not this",
    fix="find what that rank read at that step, and leave out steps whose gradient is not finite on any rank",
)
