"""The model learns its training data by heart: training goes on getting better, validation turns.

## What happens
Capacity and training time beat regularisation. The training loss falls on; the validation loss has a turning point
and climbs from there.

## How it is told apart
More regularisation, a smaller model or an earlier stop moves the turning point. Where only more data does, it is
data/too-little; where validation is bad from the first epoch on, the two sets differ.

## How it is fixed
Stop at the turning point, or regularise: weight decay, dropout, augmentation, a smaller model.
"""

from stetho.cause import Cause

overfitting = Cause(
    id="hp/overfitting",
    share=0.20,
    symptoms={"overfitting": 0.92, "none": 0.05},
    predicts={
        "training-alone-fits": 0.85,
        "regularised": {"symptom-gone": 0.50, "better": 0.40, "same": 0.06, "worse": 0.03, "new-failure": 0.01},
        "half-data": {"symptom-gone": 0.01, "better": 0.03, "same": 0.60, "worse": 0.35, "new-failure": 0.01},
    },
    mechanism=("training-alone-fits",),
    statement="the model learns its training data by heart",
    test="train with more regularisation: if validation turns as early and climbs as far, it is not this",
    fix="stop at the turning point of the validation loss, or regularise more",
    trial="regularised",
)
