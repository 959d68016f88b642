"""It trains as it should.

## What happens
The loss comes down and nothing else stands out.

## How it is told apart
No symptom; and where something looks odd, changing it makes no difference.

## How it is fixed
Nothing to fix.
"""

from stetho.cause import Cause

healthy = Cause(
    id="none/healthy",
    share=0.69,
    symptoms={"none": 0.96, "loss-flat": 0.01, "loss-oscillating": 0.01, "loss-slow": 0.01, "loss-spike": 0.01},
    predicts={
        "others-held-up": {"symptom-gone": 0.01, "better": 0.02, "same": 0.05, "worse": 0.89, "new-failure": 0.03},
        "perfect-answers": {"symptom-gone": 0.01, "better": 0.93, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        # It is asked only of programs that set a seed; one whose results vary all the same is not this, by definition.
        "own-seeds": {"symptom-gone": 0.0, "better": 0.0, "same": 0.96, "worse": 0.02, "new-failure": 0.02},
        "time-apart": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "without-target": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "half-data": {"symptom-gone": 0.01, "better": 0.04, "same": 0.87, "worse": 0.06, "new-failure": 0.02},
        "shuffled-labels": {
            "symptom-gone": 0.01,
            "better": 0.01,
            "same": 0.08,
            "worse": 0.88,
            "new-failure": 0.02,
        },
        "lr=x10": {"symptom-gone": 0.02, "better": 0.18, "same": 0.35, "worse": 0.35, "new-failure": 0.10},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.12, "same": 0.24, "worse": 0.60, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.01, "better": 0.14, "same": 0.20, "worse": 0.45, "new-failure": 0.20},
        "lr=x1000": {"symptom-gone": 0.01, "better": 0.06, "same": 0.13, "worse": 0.45, "new-failure": 0.35},
        "lr=x0.01": {"symptom-gone": 0.01, "better": 0.03, "same": 0.14, "worse": 0.80, "new-failure": 0.02},
        # Few runs have one feature that tells so much; of those the model is worse without it, healthy or not.
        "apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "siblings-apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "siblings-thinned": {"symptom-gone": 0.01, "better": 0.03, "same": 0.70, "worse": 0.24, "new-failure": 0.02},
        "without-feature": {"symptom-gone": 0.01, "better": 0.02, "same": 0.90, "worse": 0.06, "new-failure": 0.01},
        "causal-mask": {"symptom-gone": 0.01, "better": 0.02, "same": 0.94, "worse": 0.02, "new-failure": 0.01},
        "derived-gradient": {"symptom-gone": 0.01, "better": 0.02, "same": 0.38, "worse": 0.52, "new-failure": 0.07},
        "cut-history": {"symptom-gone": 0.01, "better": 0.01, "same": 0.94, "worse": 0.02, "new-failure": 0.02},
        "one-batch": {"symptom-gone": 0.02, "better": 0.60, "same": 0.28, "worse": 0.08, "new-failure": 0.02},
    },
    mechanism=(),
    statement="it trains as it should",
    test="watch for a symptom: if one shows, it is not this",
    fix="nothing to fix",
    otherwise={"symptom-gone": 0.005, "better": 0.015, "same": 0.65, "worse": 0.28, "new-failure": 0.05},
)
