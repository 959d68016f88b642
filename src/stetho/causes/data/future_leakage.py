"""The future is in the inputs, or in the training data.

## What happens
Windows of a time series reach as far as the value to be predicted, or overlapping windows were dealt out to training
and validation by lot. Held-out results are better than they can be in use, where the future is not known yet.

## How it is told apart
Held-out windows share stretches of values with training windows, or one place of the window is the target. Without
that place, or without training windows from some stretches of time, held-out errors are clearly larger. Where the same
samples are on both sides it is data/split-leakage.

## How it is fixed
Split by time, with a gap of a window's length, before windows are cut; end each window before what it is to predict.
"""

from stetho.cause import Cause

future_leakage = Cause(
    id="data/future-leakage",
    subtle=True,
    share=0.03,
    symptoms={"too-good": 0.20, "none": 0.72, "overfitting": 0.04},
    predicts={
        "looks-ahead-in-time": 0.92,
        "validation-right-at-once": 0.25,
        "evaluated-on-trained": 0.04,
        "time-apart": {"symptom-gone": 0.10, "better": 0.02, "same": 0.16, "worse": 0.70, "new-failure": 0.02},
        "without-target": {"symptom-gone": 0.17, "better": 0.02, "same": 0.05, "worse": 0.74, "new-failure": 0.02},
    },
    mechanism=("looks-ahead-in-time",),
    statement="windows of the series look ahead in time, or overlap across the split",
    test="split by time, with a gap: if held-out results stay as good, it is not this",
    fix="split by time before windows are cut, with a gap, and end each window before the value to be predicted",
    trial="without-target",
    control="time-apart",
)
