"""The replicas of a model hold different weights.

## What happens
Gradients are not exchanged, or not all of them: a model that is not wrapped, a forward past the wrapper, parameters
that were made after it, weights that differ from the start. Each rank trains a model of its own.

## How it is told apart
Checksums of the parameters differ between ranks after the same step, and stay so. With weights and gradients brought
together, held-out results get better.

## How it is fixed
Wrap the model and call the wrapper; average every gradient; broadcast the weights once at the start.
"""

from stetho.cause import Cause

ranks_diverge = Cause(
    id="dist/ranks-diverge",
    share=0.35,
    context={"several-ranks": (20.0, 0.05)},
    symptoms={
        "none": 0.62, "overfitting": 0.10, "metric-stuck": 0.06, "loss-slow": 0.05, "loss-flat": 0.05,
        "loss-oscillating": 0.03, "loss-diverging": 0.03,
    },
    predicts={
        "ranks-apart": 0.97,
        "ranks-read-the-same": 0.03,
        "ranks-together": {"symptom-gone": 0.15, "better": 0.55, "same": 0.25, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("ranks-apart",),
    statement="the ranks hold different weights",
    test="compare a checksum of the weights over all ranks after a step: if they are the same, it is not this",
    fix="wrap the model and call the wrapper, or average every gradient and broadcast the weights at the start",
    trial="ranks-together",
)  # fmt: skip
