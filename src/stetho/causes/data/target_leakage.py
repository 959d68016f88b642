"""The answer is in the input.

## What happens
A feature is made from the target, or is known only after it. Validation is almost perfect at once, as it has the
feature, too; in use the model fails.

## How it is told apart
Scores are far above what is known of the task, from the first epoch on. Without the one feature they fall back. The
same samples on both sides (data/split-leakage) look alike in the curves, and are told apart by comparing the samples.

## How it is fixed
Leave out every feature that is known only after the answer.
"""

from stetho.cause import Cause

target_leakage = Cause(
    id="data/target-leakage",
    subtle=True,
    share=0.06,
    symptoms={"too-good": 0.35, "none": 0.62},
    predicts={
        "validation-right-at-once": 0.5,
        "one-feature-tells-all": 0.85,
        "without-feature": {"symptom-gone": 0.30, "better": 0.01, "same": 0.03, "worse": 0.65, "new-failure": 0.01},
    },
    mechanism=("one-feature-tells-all", "validation-right-at-once"),
    statement="the answer is in the input",
    test="leave out features that are known only after the answer: if validation is still perfect, it is not this",
    fix="leave out what is known only after the answer",
    trial="without-feature",
)
