"""Regularisation is so strong that there is next to nothing left to learn from.

## What happens
Dropout, or noise like it, takes away nearly all that a layer passes on. The loss hardly leaves chance, in training as
in validation.

## How it is told apart
Dropout makes most of the values zero, or more than half of them while the network does worse in evaluation, with all
its units, than a simple model on the same samples; and without it the same run learns. That the training loss is a
little lower without dropout says nothing: that is so in every run.

## How it is fixed
Drop a tenth to a half, and less in narrow layers.
"""

from stetho.cause import Cause

over_regularized = Cause(
    id="arch/over-regularized",
    context={"modes-matter": (1.3, 0.5)},
    share=0.10,
    symptoms={
        "loss-flat": 0.40,
        "loss-slow": 0.15,
        "none": 0.30,
        "loss-high": 0.05,
        "loss-oscillating": 0.04,
        "metric-stuck": 0.03,
    },
    predicts={
        "most-is-dropped": 0.60,
        "dropping-holds-back": 0.55,
        "dropout=off": {"symptom-gone": 0.62, "better": 0.33, "same": 0.03, "worse": 0.01, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.10, "same": 0.60, "worse": 0.25, "new-failure": 0.03},
        "one-batch": {"symptom-gone": 0.28, "better": 0.30, "same": 0.37, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("most-is-dropped", "dropping-holds-back"),
    statement="dropout takes away nearly all there is to learn from",
    test="switch dropout off: if the loss still does not fall, it is not this",
    fix="drop a smaller share",
    trial="dropout=off",
)  # fmt: skip
