"""The targets are mostly chance by nature, and what can be learned of them has been.

## What happens
Prices, wages, clicks, survival times: the inputs say a little about the target, and the rest is chance. The model
learns that little in its first steps, and from there on the loss looks flat.

## How it is told apart
It looks like labels that do not belong to their inputs (data/labels-misaligned): near inputs hardly share their
targets, one batch can be learned by heart, and made-up data is learned at once. But what little the targets say is
lost where they are shuffled: the loss is then higher, by a little and all along.

## How it is fixed
Nothing to fix; more informative inputs lower the floor, more training does not.
"""

from stetho.cause import Cause

noise_floor = Cause(
    id="none/noise-floor",
    share=0.03,
    subtle=True,
    symptoms={"none": 0.60, "loss-flat": 0.30, "loss-slow": 0.04, "loss-oscillating": 0.03, "metric-stuck": 0.01},
    predicts={
        "others-held-up": {"symptom-gone": 0.01, "better": 0.02, "same": 0.05, "worse": 0.89, "new-failure": 0.03},
        "perfect-answers": {"symptom-gone": 0.01, "better": 0.93, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        "own-seeds": {"symptom-gone": 0.0, "better": 0.0, "same": 0.96, "worse": 0.02, "new-failure": 0.02},
        "time-apart": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "without-target": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02},
        "half-data": {"symptom-gone": 0.01, "better": 0.04, "same": 0.87, "worse": 0.06, "new-failure": 0.02},
        "causal-mask": {"symptom-gone": 0.01, "better": 0.02, "same": 0.94, "worse": 0.02, "new-failure": 0.01},
        "cut-history": {"symptom-gone": 0.01, "better": 0.01, "same": 0.94, "worse": 0.02, "new-failure": 0.02},
        "apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "without-feature": {"symptom-gone": 0.01, "better": 0.02, "same": 0.90, "worse": 0.06, "new-failure": 0.01},
        "labels-unrelated": 0.55,
        "shuffled-labels": {"symptom-gone": 0.01, "better": 0.01, "same": 0.06, "worse": 0.90, "new-failure": 0.02},
        "one-batch": {"symptom-gone": 0.80, "better": 0.14, "same": 0.04, "worse": 0.01, "new-failure": 0.01},
        "synthetic": {"symptom-gone": 0.72, "better": 0.16, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.03, "same": 0.60, "worse": 0.31, "new-failure": 0.04},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.04, "same": 0.80, "worse": 0.13, "new-failure": 0.01},
    },
    mechanism=(),
    statement="the targets are mostly chance by nature, and what they say has been learned",
    test="shuffle the labels: if the loss is as low as before, it is not this",
    fix="nothing to fix; only inputs that say more lower the floor",
    otherwise={"symptom-gone": 0.005, "better": 0.015, "same": 0.67, "worse": 0.27, "new-failure": 0.04},
)
