"""Probabilities go into a loss that expects scores.

## What happens
The loss applies softmax (or sigmoid) itself. Given probabilities, it normalises them a second time: all
answers are squeezed towards uniform, the loss cannot fall below a floor (1.46 for ten classes, 0.31 for a
binary task), and gradients stay small however wrong the model is.

## How it is told apart
Rows that enter the loss sum to one at every call. A learning rate that is too low can look the same from
outside, but its inputs are ordinary scores, and a larger rate helps it.

## How it is fixed
Return the scores from the model and let the loss normalise; take softmax only where probabilities are shown.
"""

from stetho.cause import Cause

double_softmax = Cause(
    id="loss/double-softmax",
    share=0.14,
    symptoms={
        "loss-flat": 0.40,
        "loss-slow": 0.08,
        "none": 0.45,
        "loss-oscillating": 0.03,
        "loss-diverging": 0.02,
    },
    predicts={
        "input-already-normalised": 0.97,
        "updates-too-small": 0.10,
        "loss-input": {
            "symptom-gone": 0.62,
            "better": 0.32,
            "same": 0.04,
            "worse": 0.01,
            "new-failure": 0.01,
        },
        "one-batch": {"symptom-gone": 0.30, "better": 0.40, "same": 0.26, "worse": 0.02, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.08, "better": 0.30, "same": 0.40, "worse": 0.20, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.05, "better": 0.20, "same": 0.40, "worse": 0.30, "new-failure": 0.05},
    },
    mechanism=("input-already-normalised",),
    statement="probabilities go into a loss that normalises its input itself",
    test="give the loss the scores behind the probabilities: if nothing improves, it is not this",
    fix="pass the scores (logits) to the loss and take softmax only where probabilities are shown",
    trial="loss-input",
)
