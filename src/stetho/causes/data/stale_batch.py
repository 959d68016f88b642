"""The same batch comes again and again.

## What happens
A batch is drawn once, outside the loop, or an iterator is begun anew at each step and gives its first batch. The loss
falls, as the batch is learned by heart; what was held back gets worse.

## How it is told apart
Every step is given the very same samples, and with a fresh batch at each step held-out results are better. Training on
all the data at once gives the same samples, too, and draws nothing.

## How it is fixed
Draw the batch inside the loop, and keep one iterator of the loader.
"""

from stetho.cause import Cause

stale_batch = Cause(
    id="data/stale-batch",
    share=0.03,
    symptoms={"overfitting": 0.45, "none": 0.40, "metric-stuck": 0.05, "loss-flat": 0.03, "too-good": 0.02},
    predicts={
        "same-batch-again": 0.95,
        "training-alone-fits": 0.50,
        "one-batch": {"symptom-gone": 0.02, "better": 0.03, "same": 0.92, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("same-batch-again",),
    statement="every step trains on the same batch",
    test="draw a fresh batch at each step: if held-out results stay as they are, it is not this",
    fix="draw the batch inside the loop",
)
