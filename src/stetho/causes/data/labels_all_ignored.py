"""Every target is one that the loss ignores.

## What happens
Labels are all `ignore_index`: a mask over prompt and answer, a truncation that cuts the answer off, a tokenizer whose
padding is the label. The mean over nothing is NaN, their sum is zero, and no gradient says anything.

## How it is told apart
The share of ignored targets is one. In a log: the loss is exactly zero, with a gradient that is NaN or zero.

## How it is fixed
Print the labels of one batch as the loss gets them; mask the prompt only, and cut the prompt rather than the answer.
"""

from stetho.cause import Cause

labels_all_ignored = Cause(
    id="data/labels-all-ignored",
    share=0.03,
    symptoms={"loss-nonfinite": 0.60, "loss-flat": 0.20, "none": 0.10, "crash": 0.05},
    predicts={
        "labels-left-out": 0.97,
        "loss-of-nothing": 0.75,
        "targets-kept": {"symptom-gone": 0.75, "better": 0.12, "same": 0.05, "worse": 0.06, "new-failure": 0.02},
    },
    mechanism=("labels-left-out", "loss-of-nothing"),
    statement="every target is one that the loss ignores",
    test="print the labels of one batch as the loss gets them: if one is not ignored, it is not this",
    fix="mask only what is to be ignored, and cut inputs so that targets are left",
    trial="targets-kept",
)
