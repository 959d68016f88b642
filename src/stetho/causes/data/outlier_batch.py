"""A few extreme samples make the loss jump, and it recovers.

## What happens
A sample that was read wrongly, or is far out of range, comes in one batch of the epoch. The loss jumps there, the step
that follows is large, and the next batches put it right.

## How it is told apart
The jumps come at the same place of each epoch. A rate that is too high makes jumps at any place; a schedule that
restarts makes them where the rate rises.

## How it is fixed
Look at the samples of that batch, and mend or drop them.
"""

from stetho.cause import Cause

outlier_batch = Cause(
    id="data/outlier-batch",
    share=0.006,
    symptoms={"loss-spike": 0.75, "none": 0.2},
    predicts={"spikes-recur": 0.93},
    mechanism=("spikes-recur",),
    statement="a few samples are unlike all others, and the loss jumps whenever they come",
    test="leave that batch out: if the loss still jumps there, it is not this",
    fix="find the samples of that batch, and mend or drop them; a robust loss or clipping limits what they do",
)
