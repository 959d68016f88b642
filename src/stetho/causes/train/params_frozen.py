"""Parameters that should learn are frozen.

## What happens
`requires_grad` is False where it should not be: too much of the model was frozen, or weights that were never loaded.
The rest learns on features that stay as random as they were made.

## How it is told apart
A large part of a model in training asks for no gradient, and was neither loaded nor trained before. Thawed, it learns.

## How it is fixed
Freeze only what has learned already, and thaw the rest before the optimizer is made.
"""

from stetho.cause import Cause

params_frozen = Cause(
    id="train/params-frozen",
    share=0.06,
    symptoms={"loss-flat": 0.40, "loss-slow": 0.08, "none": 0.40, "metric-stuck": 0.04, "loss-oscillating": 0.02},
    predicts={
        "frozen-at-random": 0.95,
        "updates-too-small": 0.10,
        "train-all": {"symptom-gone": 0.48, "better": 0.44, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.06, "better": 0.26, "same": 0.46, "worse": 0.18, "new-failure": 0.04},
        "one-batch": {"symptom-gone": 0.28, "better": 0.32, "same": 0.36, "worse": 0.02, "new-failure": 0.02},
        "shuffled-labels": {"symptom-gone": 0.01, "better": 0.02, "same": 0.55, "worse": 0.40, "new-failure": 0.02},
    },
    mechanism=("frozen-at-random",),
    statement="parameters that the loss depends on are frozen at their random start",
    test="train every parameter of the model: if nothing improves, it is not this",
    fix="leave requires_grad on, except for weights that have learned already",
    trial="train-all",
)
