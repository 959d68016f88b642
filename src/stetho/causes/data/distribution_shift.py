"""What the model is evaluated on differs from what it is trained on: other units, other preparation, another source.

## What happens
Training goes well, and held-out results are bad from the first evaluation on. The validation set was not normalised, or
with other numbers, its channels are in another order, or it comes from elsewhere.

## How it is told apart
Centre and spread of the inputs differ between the two, far beyond what parts of the training data differ by; and with
the scale of the training inputs held-out results are better. A model that has learned its data by heart is as bad on
inputs of the same scale.

## How it is fixed
Prepare both sets by the same code and with the same numbers, those of the training set.
"""

from stetho.cause import Cause

distribution_shift = Cause(
    id="data/distribution-shift",
    share=0.05,
    symptoms={"overfitting": 0.42, "none": 0.46, "metric-stuck": 0.05, "loss-flat": 0.02, "loss-slow": 0.02},
    predicts={
        "evaluated-on-other-inputs": 0.80,
        "training-alone-fits": 0.70,
        "regularised": {"symptom-gone": 0.05, "better": 0.19, "same": 0.60, "worse": 0.14, "new-failure": 0.02},
        "training-scale": {"symptom-gone": 0.35, "better": 0.43, "same": 0.13, "worse": 0.07, "new-failure": 0.02},
    },
    mechanism=("evaluated-on-other-inputs",),
    statement="the inputs of evaluation have another scale, or another source, than those of training",
    test="evaluate on inputs with the scale of the training: if results are as bad, it is not this",
    fix="prepare the held-out data by the same code, with the mean and spread of the training set",
    trial="training-scale",
)
