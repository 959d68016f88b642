"""Preprocessing wipes the information out of the inputs: constant, zero, or clipped away.

## What happens
What enters the model is the same for every sample, or nearly so: a product with zero, a clip that is too narrow, a
scale applied twice, a buffer that is never filled. The labels are right, the model works, and there is nothing to learn
from; the loss stays at the frequencies of the labels.

## How it is told apart
The numbers that enter the model say it: samples do not differ, or nearly all values are a limit. It may be so of single
columns of a file only: then the file tells much more of the label than what entered the model. Given data that can be
learned, the same model, loss and optimizer learn. Labels that do not belong to their inputs
(data/labels-misaligned) come with inputs that differ.

## How it is fixed
Look at a few samples as they enter the model, and take away the step behind which they no longer differ.
"""

from stetho.cause import Cause

inputs_destroyed = Cause(
    id="data/inputs-destroyed",
    share=0.06,
    symptoms={"loss-flat": 0.46, "none": 0.36, "metric-stuck": 0.05, "loss-slow": 0.05, "overfitting": 0.04},
    predicts={
        "inputs-alike": 0.75,
        "inputs-clipped": 0.50,
        "columns-lost": 0.85,
        "early-layers-starved": 0.12,
        "labels-unrelated": 0.30,
        "synthetic": {"symptom-gone": 0.75, "better": 0.15, "same": 0.07, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.04, "same": 0.74, "worse": 0.17, "new-failure": 0.03},
        "lr=x0.1": {"symptom-gone": 0.01, "better": 0.03, "same": 0.90, "worse": 0.05, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.10, "better": 0.20, "same": 0.66, "worse": 0.03, "new-failure": 0.01},
    },
    mechanism=("inputs-alike", "inputs-clipped", "columns-lost"),
    statement="the inputs have lost what told the samples apart",
    test="train on inputs that differ: if it does not learn either, it is not this",
    fix="take away the step behind which samples no longer differ",
)
