"""Labels are in the wrong form: 1..K for 0..K-1, or more classes than the model has outputs.

## What happens
The loss refuses a label that is not an index of one of the model's outputs, or, worse, takes it for another class.

## How it is told apart
The loss itself says which label is out of bounds; on an accelerator its assertion says it, and the exception comes
later.

## How it is fixed
Map the labels to 0..K-1 and give the model K outputs.
"""

from stetho.cause import Cause

label_encoding = Cause(
    id="data/label-encoding",
    share=0.05,
    symptoms={"crash": 0.90, "none": 0.05},
    predicts={"label-out-of-range": 0.98, "exception-raised": 0.97},
    mechanism=("label-out-of-range", "class-index-refused"),
    statement="labels do not fit the model's classes",
    test="map the labels to 0..K-1: if it still stops there, it is not this",
    fix="map the labels to 0..K-1 and give the model K outputs",
    proof_by_artifact=True,
)
