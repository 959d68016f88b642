"""It learns steadily, only slowly.

## What happens
The loss comes down throughout and has not arrived when the run ends.

## How it is told apart
The parameters do move, and a larger learning rate does not do clearly better.

## How it is fixed
Nothing but patience, or more steps.
"""

from stetho.cause import Cause

slow_but_learning = Cause(
    id="none/slow-but-learning",
    share=0.12,
    symptoms={"none": 0.75, "loss-slow": 0.20, "loss-flat": 0.03},
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
        "updates-too-small": 0.20,
        "apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "without-feature": {"symptom-gone": 0.01, "better": 0.02, "same": 0.90, "worse": 0.06, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.15, "better": 0.35, "same": 0.30, "worse": 0.15, "new-failure": 0.05},
        "lr=x100": {"symptom-gone": 0.04, "better": 0.10, "same": 0.26, "worse": 0.40, "new-failure": 0.20},
    },
    mechanism=(),
    statement="it learns steadily, only slowly",
    test="let it run on: if the loss stops falling, it is not this",
    fix="nothing to fix; more steps",
    otherwise={"symptom-gone": 0.02, "better": 0.03, "same": 0.65, "worse": 0.26, "new-failure": 0.04},
)
