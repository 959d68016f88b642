"""Samples arrive sorted, by class or by source.

## What happens
Within one class the model soon answers nothing else, and the loss goes to zero; with the next class it is sure and
wrong, and the loss jumps above its beginning. Validation stays bad.

## How it is told apart
Batches hold one class each, or the loss sinks to almost nothing and jumps back, many times in each epoch and at even
distances; and the same run on shuffled samples does better. A rate that is too high never comes near zero between its
jumps.

## How it is fixed
Shuffle the training samples at each epoch.
"""

from stetho.cause import Cause

not_shuffled = Cause(
    id="data/not-shuffled",
    share=0.06,
    symptoms={
        "none": 0.40,
        "loss-spike": 0.15,
        "loss-oscillating": 0.15,
        "loss-flat": 0.12,
        "overfitting": 0.05,
        "metric-stuck": 0.05,
        "loss-diverging": 0.03,
        "loss-slow": 0.02,
    },
    predicts={
        "batches-of-one-class": 0.85,
        "loss-begins-anew": 0.60,
        "shuffled-order": {"symptom-gone": 0.35, "better": 0.55, "same": 0.06, "worse": 0.03, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.10, "better": 0.25, "same": 0.40, "worse": 0.23, "new-failure": 0.02},
    },
    mechanism=("batches-of-one-class", "loss-begins-anew"),
    statement="samples arrive in an order, and the model learns only what comes now",
    test="shuffle the samples: if nothing gets better, it is not this",
    fix="shuffle the training samples at each epoch",
    trial="shuffled-order",
)
