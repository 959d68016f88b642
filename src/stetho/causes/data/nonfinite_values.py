"""NaN or Inf in the inputs or targets.

## What happens
One such value reaches the loss and from there every parameter.

## How it is told apart
The model's input holds NaN or Inf before anything is computed.

## How it is fixed
Find the rows, and drop or fill them before training.
"""

from stetho.cause import Cause

nonfinite_values = Cause(
    id="data/nonfinite-values",
    share=0.06,
    symptoms={"loss-nonfinite": 0.82, "crash": 0.09, "none": 0.02},
    predicts={
        "input-nonfinite": 0.90,
        "data-refused": 0.50,
        "cell-not-finite": 0.60,
        "finite-values": {"symptom-gone": 0.80, "better": 0.12, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "lost-rank-out": {"symptom-gone": 0.50, "better": 0.10, "same": 0.34, "worse": 0.03, "new-failure": 0.03},
    },
    mechanism=("cell-not-finite", "input-nonfinite", "data-refused"),
    statement="NaN or Inf enters the model with the data",
    test="drop the rows that hold NaN or Inf: if the loss is still not finite, it is not this",
    fix="drop or fill the rows that hold NaN or Inf",
    trial="finite-values",
)
