"""The rate is at its full height from the first step on, and warm-up alone would carry the run over its beginning.

## What happens
The first gradients of a new model are the largest, and an adaptive optimizer has not measured them yet. At the full
rate the first steps throw the model out; a few hundred steps later the same rate would do no harm.

## How it is told apart
It breaks within the first steps, and the same rate after a warm-up trains. Where it still breaks, the rate is too high.

## How it is fixed
Raise the rate over the first few hundred steps.
"""

from stetho.cause import Cause

no_warmup = Cause(
    id="hp/no-warmup",
    share=0.01,
    symptoms={"loss-nonfinite": 0.40, "loss-diverging": 0.25, "loss-spike": 0.20, "crash": 0.05, "loss-flat": 0.08},
    predicts={"full-rate-at-once": 0.93, "updates-too-large": 0.60, "gradient-run-up": 0.30, "loss-run-up": 0.75},
    mechanism=("full-rate-at-once",),
    statement="the rate is at its full height from the first step on",
    test="raise the rate over the first few hundred steps: if it still breaks, it is not this",
    fix="warm the rate up over the first few hundred steps",
)
