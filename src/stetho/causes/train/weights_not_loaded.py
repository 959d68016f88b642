"""A checkpoint, or pretrained weights, were not really loaded.

## What happens
The names in the file have a prefix that the model does not have (module., _orig_mod.), and strict=False passes over
all of them. Or the weights go into another object, or the model is initialised or made again after them. The model
starts at random, and what was to be a fine-tune begins at chance.

## How it is told apart
Weights that fit the model shape by shape were read, and at the first step the model holds none of them; put into it,
they let the run begin where it should. A new head is missing and has no counterpart.

## How it is fixed
Load with strict=True, and rename the keys.
"""

from stetho.cause import Cause

weights_not_loaded = Cause(
    id="train/weights-not-loaded",
    share=0.06,
    context={"loaded-state": (3.0, 0.3)},
    symptoms={"loss-flat": 0.22, "loss-slow": 0.10, "none": 0.60, "metric-stuck": 0.05},
    predicts={
        "weights-not-matched": 0.93,
        "weights-read-unused": 0.93,
        "updates-too-small": 0.15,
        "read-weights": {"symptom-gone": 0.50, "better": 0.43, "same": 0.04, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.30, "better": 0.40, "same": 0.20, "worse": 0.07, "new-failure": 0.03},
        "lr=x100": {"symptom-gone": 0.30, "better": 0.25, "same": 0.20, "worse": 0.15, "new-failure": 0.10},
    },
    mechanism=("weights-read-unused", "weights-not-matched"),
    statement="the weights of the checkpoint did not reach the model",
    test="put the weights that were read into the model: if nothing improves, it is not this",
    fix="load with strict=True, and take the prefix off the names (module., _orig_mod., model.)",
    trial="read-weights",
)
