"""The same samples, or near copies of them, are in training and validation.

## What happens
What was learned by heart is asked again. Validation follows training closely, and both are better than the task allows.

## How it is told apart
Hashes of the samples meet on both sides, or groups such as patients and sessions do. Where samples come in groups of
near copies that a column of the data names, held-out results get worse without some of the groups, and not without as
many samples of all groups.

## How it is fixed
Split by the unit that repeats, before samples are copied, augmented or cut into windows.
"""

from stetho.cause import Cause

split_leakage = Cause(
    id="data/split-leakage",
    subtle=True,
    share=0.06,
    symptoms={"too-good": 0.25, "none": 0.68, "overfitting": 0.03},
    predicts={
        "validation-right-at-once": 0.5,
        "evaluated-on-trained": 0.85,
        "rows-in-two-files": 0.80,
        "siblings-held-out": 0.60,
        "siblings-named": 0.50,
        "apart": {"symptom-gone": 0.15, "better": 0.02, "same": 0.20, "worse": 0.61, "new-failure": 0.02},
        "siblings-apart": {"symptom-gone": 0.10, "better": 0.01, "same": 0.15, "worse": 0.72, "new-failure": 0.02},
        "siblings-thinned": {"symptom-gone": 0.01, "better": 0.03, "same": 0.70, "worse": 0.24, "new-failure": 0.02},
    },
    mechanism=("evaluated-on-trained", "rows-in-two-files", "validation-right-at-once", "siblings-named"),
    only_with={"siblings-named": ("siblings-thinned", "same")},
    statement="the same samples are in training and validation",
    test="compare the samples of both sides: if none is in both, it is not this",
    fix="split by the unit that repeats, such as the patient, before anything else is done",
    trial="apart",
    control="siblings-apart",
)
