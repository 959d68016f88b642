"""Labels are in the wrong form: 1..K for 0..K-1, more classes than outputs, or other numbers than in evaluation.

## What happens
The loss refuses a label that is not an index of one of the model's outputs, or, worse, takes it for another class: the
model then learns well, and on held-out data is wrong nearly always.

## How it is told apart
The loss itself says which label is out of bounds; on an accelerator its assertion says it, and the exception comes
later. Where nothing is refused, held-out answers of some classes are wrong nearly always, each by the same other class,
and are right once training numbers its classes as evaluation does. Overfitting never falls below chance, and classes
that look alike are confused in training as well.

## How it is fixed
Map the labels to 0..K-1, with one and the same table for training and evaluation, and give the model K outputs.
"""

from stetho.cause import Cause

label_encoding = Cause(
    id="data/label-encoding",
    share=0.06,
    symptoms={"crash": 0.58, "overfitting": 0.13, "metric-stuck": 0.06, "none": 0.20},
    predicts={
        "label-out-of-range": 0.98,
        "exception-raised": 0.97,
        "right-less-than-by-chance": 0.90,
        "classes-exchanged": 0.90,
        "renumbered-classes": {"symptom-gone": 0.40, "better": 0.54, "same": 0.03, "worse": 0.02, "new-failure": 0.01},
        "shifted-classes=-1": {"symptom-gone": 0.45, "better": 0.35, "same": 0.14, "worse": 0.04, "new-failure": 0.02},
        "shifted-classes=1": {"symptom-gone": 0.25, "better": 0.20, "same": 0.45, "worse": 0.08, "new-failure": 0.02},
    },
    mechanism=("label-out-of-range", "class-index-refused", "right-less-than-by-chance", "classes-exchanged"),
    statement="labels do not fit the model's classes, or those of evaluation",
    test="map the labels to 0..K-1 by one table: if it still stops there, or stays as wrong, it is not this",
    fix="map the labels to 0..K-1 by one table for training and evaluation, and give the model K outputs",
    proof_by_artifact=True,
    proofs=("label-out-of-range", "class-index-refused"),
    trial="renumbered-classes",
    control="shifted-classes=-1",
)
