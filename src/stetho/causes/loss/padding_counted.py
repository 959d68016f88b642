"""Padding is trained on.

## What happens
Sequences of different lengths are filled up to one length, and the loss counts the filling. The model learns first and
foremost to go on with it: the loss is small, and what matters has a small part in it.

## How it is told apart
Targets end in one token again and again, in different lengths, or are all the same where the input is filled up, and
the loss leaves none of it out. Without it, results that the program prints get better.

## How it is fixed
Say `ignore_index`, or weigh the positions with a mask and divide by its sum.
"""

from stetho.cause import Cause

padding_counted = Cause(
    id="loss/padding-counted",
    context={"token-inputs": (2.0, 0.8)},
    share=0.07,
    symptoms={
        "metric-stuck": 0.12, "loss-flat": 0.08, "loss-slow": 0.08, "overfitting": 0.06, "too-good": 0.05, "none": 0.58,
    },
    predicts={
        "padding-trained-on": 0.90,
        "padding-left-out": {"symptom-gone": 0.12, "better": 0.50, "same": 0.32, "worse": 0.05, "new-failure": 0.01},
    },
    mechanism=("padding-trained-on",),
    statement="padding positions are trained on",
    test="leave padding out of the loss: if no result gets better, it is not this",
    fix="leave padding out of the loss, with ignore_index or a mask",
    trial="padding-left-out",
)  # fmt: skip
