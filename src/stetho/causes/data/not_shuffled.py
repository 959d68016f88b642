"""Samples arrive sorted, by class or by source.

## What happens
Within one class the model soon answers nothing else, and the loss goes to zero; with the next class it is sure and
wrong, and the loss jumps above its beginning. Validation stays bad.

## How it is told apart
The loss sinks to almost nothing and jumps back, many times in each epoch and at even distances. A rate that is too
high never comes near zero between its jumps.

## How it is fixed
Shuffle the training samples at each epoch.
"""

from stetho.cause import Cause

not_shuffled = Cause(
    id="data/not-shuffled",
    share=0.01,
    symptoms={"loss-spike": 0.45, "loss-oscillating": 0.3, "none": 0.2},
    predicts={"loss-begins-anew": 0.92},
    mechanism=("loss-begins-anew",),
    statement="samples arrive in an order, and the model learns only what comes now",
    test="shuffle the samples: if the loss still begins anew, it is not this",
    fix="shuffle the training samples at each epoch",
)
