"""It ended as it was meant to.

## What happens
All steps are done, or the program stops early because a measure no longer improves.

## How it is told apart
The program says so at its end.

## How it is fixed
Nothing to fix.
"""

from stetho.cause import Cause

completed = Cause(
    id="none/completed",
    share=0.08,
    symptoms={"none": 0.93, "loss-flat": 0.02, "loss-oscillating": 0.02, "loss-slow": 0.02},
    predicts={
        "others-held-up": {"symptom-gone": 0.01, "better": 0.02, "same": 0.05, "worse": 0.89, "new-failure": 0.03},
        "perfect-answers": {"symptom-gone": 0.01, "better": 0.93, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        # It is asked only of programs that set a seed; one whose results vary all the same is not this, by definition.
        "own-seeds": {"symptom-gone": 0.0, "better": 0.0, "same": 0.96, "worse": 0.02, "new-failure": 0.02},
        "time-apart": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "without-target": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "half-data": {"symptom-gone": 0.01, "better": 0.04, "same": 0.87, "worse": 0.06, "new-failure": 0.02},
        "said-to-be-done": 0.9,
        "apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "without-feature": {"symptom-gone": 0.01, "better": 0.02, "same": 0.90, "worse": 0.06, "new-failure": 0.01},
        "causal-mask": {"symptom-gone": 0.01, "better": 0.02, "same": 0.94, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=(),
    statement="it ended as it was meant to",
    test="look for steps that were not made: if some were left, it is not this",
    fix="nothing to fix",
    otherwise={"symptom-gone": 0.005, "better": 0.015, "same": 0.67, "worse": 0.27, "new-failure": 0.04},
)
