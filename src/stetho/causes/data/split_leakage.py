"""The same samples, or near copies of them, are in training and validation.

## What happens
What was learned by heart is asked again. Validation follows training closely, and both are better than the task allows.

## How it is told apart
Hashes of the samples meet on both sides, or groups such as patients and sessions do.

## How it is fixed
Split by the unit that repeats, before samples are copied, augmented or cut into windows.
"""

from stetho.cause import Cause

split_leakage = Cause(
    id="data/split-leakage",
    subtle=True,
    share=0.007,
    symptoms={"too-good": 0.6, "none": 0.38},
    predicts={"validation-right-at-once": 0.9},
    mechanism=("validation-right-at-once",),
    statement="the same samples are in training and validation",
    test="compare the samples of both sides: if none is in both, it is not this",
    fix="split by the unit that repeats, such as the patient, before anything else is done",
)
