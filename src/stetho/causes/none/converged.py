"""Flat because it is at its minimum.

## What happens
The loss stands still at the floor that the noise of the data, or the task itself, sets. It has come down before, or the
run began from trained weights.

## How it is told apart
What is left is noise: neither a larger nor a smaller rate brings it further.

## How it is fixed
Nothing to fix; it can be ended.
"""

from stetho.cause import Cause

converged = Cause(
    id="none/converged",
    share=0.06,
    symptoms={"none": 0.86, "loss-flat": 0.06, "loss-slow": 0.03, "loss-oscillating": 0.02, "metric-stuck": 0.02},
    predicts={
        "others-held-up": {"symptom-gone": 0.01, "better": 0.02, "same": 0.05, "worse": 0.89, "new-failure": 0.03},
        "perfect-answers": {"symptom-gone": 0.01, "better": 0.93, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        # It is asked only of programs that set a seed; one whose results vary all the same is not this, by definition.
        "own-seeds": {"symptom-gone": 0.0, "better": 0.0, "same": 0.96, "worse": 0.02, "new-failure": 0.02},
        "time-apart": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "without-target": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "half-data": {"symptom-gone": 0.01, "better": 0.04, "same": 0.87, "worse": 0.06, "new-failure": 0.02},
        "causal-mask": {"symptom-gone": 0.01, "better": 0.02, "same": 0.94, "worse": 0.02, "new-failure": 0.01},
        "cut-history": {"symptom-gone": 0.01, "better": 0.01, "same": 0.94, "worse": 0.02, "new-failure": 0.02},
        "apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "without-feature": {"symptom-gone": 0.01, "better": 0.02, "same": 0.90, "worse": 0.06, "new-failure": 0.01},
        "updates-too-small": 0.10,
        "lr=x10": {"symptom-gone": 0.01, "better": 0.03, "same": 0.46, "worse": 0.42, "new-failure": 0.08},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.10, "same": 0.62, "worse": 0.24, "new-failure": 0.02},
        "one-batch": {"symptom-gone": 0.20, "better": 0.55, "same": 0.22, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=(),
    statement="it has arrived: what is left of the loss is noise",
    test="train on with another rate: if the loss falls clearly below where it stands, it is not this",
    fix="nothing to fix",
    otherwise={"symptom-gone": 0.005, "better": 0.015, "same": 0.67, "worse": 0.27, "new-failure": 0.04},
)
