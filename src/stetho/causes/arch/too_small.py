"""The model cannot express the task.

## What happens
A layer is so narrow, or the whole so simple, that not even one batch can be fitted. The loss comes down to what the
model can say, and stays there at any learning rate.

## How it is told apart
All there is to know of a sample passes through a single number, or several layers are together one linear map, and one
batch cannot be learned by heart. Faults of the labels leave one batch easy to learn.

## How it is fixed
Wider layers, or activations between them.
"""

from stetho.cause import Cause

too_small = Cause(
    id="arch/too-small",
    share=0.12,
    symptoms={"none": 0.45, "loss-flat": 0.28, "loss-slow": 0.15, "metric-stuck": 0.05, "loss-oscillating": 0.03},
    predicts={
        "narrow-passage": 0.50,
        "layers-are-one": 0.50,
        "nonlinear": {"symptom-gone": 0.55, "better": 0.32, "same": 0.08, "worse": 0.04, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.03, "better": 0.10, "same": 0.83, "worse": 0.03, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.10, "same": 0.65, "worse": 0.20, "new-failure": 0.03},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.05, "same": 0.60, "worse": 0.32, "new-failure": 0.01},
    },
    mechanism=("narrow-passage", "layers-are-one"),
    statement="the model cannot express the task",
    test="train on one batch only: if it is learned by heart, it is not this",
    fix="use wider layers, or activations between them",
    trial="nonlinear",
    control="one-batch",
)
