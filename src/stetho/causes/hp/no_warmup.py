"""The rate is at its full height from the first step on, and warm-up alone would carry the run over its beginning.

## What happens
The first gradients of a new model are the largest, and an adaptive optimizer has not measured them yet. At the full
rate the first steps throw the model out; a few hundred steps later the same rate would do no harm.

## How it is told apart
It breaks within the first steps, and the same rate after a warm-up trains. Where it still breaks, the rate is too high;
where a rate ten times smaller does as well, the full height has no merit, and the rate is as much to blame. Where
clipping alone calms it, it is num/exploding-gradients.

## How it is fixed
Raise the rate over the first few hundred steps.
"""

from stetho.cause import Cause

no_warmup = Cause(
    id="hp/no-warmup",
    share=0.05,
    # A rate that is raised at the start is a rate that changes.
    context={"changing-rate": (0.5, 1.1)},
    symptoms={
        "loss-nonfinite": 0.22, "loss-diverging": 0.14, "loss-spike": 0.14, "crash": 0.03, "loss-flat": 0.22,
        "loss-slow": 0.05, "loss-oscillating": 0.05, "loss-high": 0.05, "none": 0.10,
    },
    predicts={
        "full-rate-at-once": 0.93,
        "thrown-out-at-once": 0.90,
        "updates-too-large": 0.60,
        "gradient-run-up": 0.30,
        "loss-run-up": 0.75,
        "warmup": {"symptom-gone": 0.70, "better": 0.24, "same": 0.03, "worse": 0.02, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.50, "better": 0.25, "same": 0.15, "worse": 0.08, "new-failure": 0.02},
        "lr=x0.01": {"symptom-gone": 0.30, "better": 0.20, "same": 0.25, "worse": 0.23, "new-failure": 0.02},
        # What can be told by a line is learned at many a rate that leaves the real task at chance.
        "synthetic": {"symptom-gone": 0.25, "better": 0.20, "same": 0.40, "worse": 0.10, "new-failure": 0.05},
        "clip=1": {"symptom-gone": 0.15, "better": 0.20, "same": 0.52, "worse": 0.11, "new-failure": 0.02},
    },
    mechanism=("full-rate-at-once", "thrown-out-at-once"),
    statement="the rate is at its full height from the first step on",
    test="raise the rate over the first few hundred steps: if it still breaks, it is not this",
    fix="warm the rate up over the first few hundred steps",
    trial="warmup",
    outdoes="lr=x0.1",
)  # fmt: skip
