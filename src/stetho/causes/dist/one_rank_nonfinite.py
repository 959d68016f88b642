"""NaN or Inf on one rank poisons all of them.

## What happens
One rank meets a number that is not finite: a bad sample in its share of the data, a faulty device. Its gradients are
added to those of the others, and with the next step every replica is lost.

## How it is told apart
The loss of that rank, or its gradient before those of the others are added, is NaN while those of the others are
finite, and without what it gives to that step the run goes on. Where all ranks fail by themselves in the same step,
the weights or the code are the reason. A value in the data that is not finite, a logarithm, a root or a divisor at zero
and an exponential that overflows keep their own names, whichever rank meets them: they are cured where they are, and
another rank meets them tomorrow.

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
    predicts={
        "one-rank-nonfinite-first": 0.95,
        "one-rank-ahead": 0.95,
        "one-rank-for-no-other-reason": 0.90,
        "input-nonfinite": 0.02,
        "cell-not-finite": 0.02,
        "log-at-zero": 0.02,
        "root-at-zero": 0.02,
        "divided-by-zero": 0.02,
        "exponential-overflows": 0.02,
        "lost-rank-out": {"symptom-gone": 0.80, "better": 0.12, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("one-rank-for-no-other-reason", "one-rank-nonfinite-first", "one-rank-ahead"),
    statement="NaN or Inf on one rank poisons all of them",
    test="leave out what that rank read at that step: if it still fails there, it is not this",
    fix="find what that rank read at that step, and leave out steps whose gradient is not finite on any rank",
    trial="lost-rank-out",
)
