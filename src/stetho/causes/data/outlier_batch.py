"""A few extreme samples make the loss jump, and it recovers.

## What happens
A sample that was read wrongly, or is far out of range, comes in one batch of the epoch. The loss jumps there, the step
that follows is large, and the next batches put it right.

## How it is told apart
The jumps come at the same place of each epoch, or values far beyond all others enter the model; without these the run
learns steadily. A rate that is too high makes jumps at any place; a schedule that
restarts makes them where the rate rises.

## How it is fixed
Look at the samples of that batch, and mend or drop them.
"""

from stetho.cause import Cause

outlier_batch = Cause(
    id="data/outlier-batch",
    share=0.04,
    symptoms={
        "loss-spike": 0.50,
        "none": 0.20,
        "loss-oscillating": 0.12,
        "loss-flat": 0.05,
        "loss-diverging": 0.05,
        "loss-nonfinite": 0.05,
    },
    predicts={
        "spikes-recur": 0.80,
        "samples-far-out": 0.60,
        "targets-far-out": 0.50,
        "paired-targets-far-out": 0.50,
        "extremes-limited": {"symptom-gone": 0.62, "better": 0.28, "same": 0.07, "worse": 0.02, "new-failure": 0.01},
        "clip=1": {"symptom-gone": 0.35, "better": 0.30, "same": 0.23, "worse": 0.10, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.20, "better": 0.20, "same": 0.40, "worse": 0.18, "new-failure": 0.02},
    },
    mechanism=("spikes-recur", "samples-far-out", "targets-far-out", "paired-targets-far-out"),
    statement="a few samples are unlike all others, and the loss jumps whenever they come",
    test="leave those samples out: if the loss still jumps there, it is not this",
    fix="find the samples of that batch, and mend or drop them; a robust loss or clipping limits what they do",
    trial="extremes-limited",
)
