"""Outputs and targets differ in shape, and torch stretches both to fit each other.

## What happens
Outputs of shape (B, 1) minus targets of shape (B,) make a table of (B, B): each output is compared with all targets of
the batch. The best answer to that is the mean of the targets, whatever the input: the loss comes down to the variance
of the targets and stays there.

## How it is told apart
The shapes that meet are on record. Given the same shape, the model learns at once; labels that do not belong to their
inputs look the same from outside, and stay the same then.

## How it is fixed
Give both the same shape just before they meet: `squeeze(-1)` on the output, or `unsqueeze(-1)` on the target.
"""

from stetho.cause import Cause

silent_broadcast = Cause(
    id="loss/silent-broadcast",
    share=0.12,
    symptoms={
        "loss-flat": 0.50, "loss-slow": 0.06, "metric-stuck": 0.03, "loss-oscillating": 0.03, "loss-nonfinite": 0.06,
        "loss-diverging": 0.06, "none": 0.24,
    },
    predicts={
        "shapes-stretched": 0.90,
        "plain-shapes-stretched": 0.90,
        "updates-too-large": 0.20,
        "full-rate-at-once": 0.30,
        "loss-shapes": {"symptom-gone": 0.62, "better": 0.31, "same": 0.04, "worse": 0.02, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.08, "better": 0.16, "same": 0.70, "worse": 0.04, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.05, "same": 0.70, "worse": 0.20, "new-failure": 0.03},
        "lr=x100": {"symptom-gone": 0.02, "better": 0.03, "same": 0.55, "worse": 0.34, "new-failure": 0.06},
    },
    mechanism=("shapes-stretched", "plain-shapes-stretched"),
    statement="outputs and targets have other shapes and are stretched, so that each output meets all targets",
    test="give targets the shape of the outputs: if it does not learn then, it is not this",
    fix="give outputs and targets the same shape just before they meet",
    trial="loss-shapes",
)  # fmt: skip
