"""A checkpoint, or pretrained weights, were not really loaded.

## What happens
The names in the file have a prefix that the model does not have (module., _orig_mod.), and strict=False passes over
all of them. The model starts at random, and what was to be a fine-tune begins at chance.

## How it is told apart
The log names the missing and the unexpected keys, and they are the same but for a prefix. A new head is missing and
has no counterpart.

## How it is fixed
Load with strict=True, and rename the keys.
"""

from stetho.cause import Cause

weights_not_loaded = Cause(
    id="train/weights-not-loaded",
    share=0.03,
    context={"loaded-state": (3.0, 0.3)},
    symptoms={"loss-flat": 0.35, "loss-slow": 0.1, "none": 0.45, "metric-stuck": 0.05},
    predicts={"weights-not-matched": 0.93},
    mechanism=("weights-not-matched",),
    statement="the weights of the checkpoint did not reach the model",
    test="load with strict=True: if nothing is missing, it is not this",
    fix="load with strict=True, and take the prefix off the names (module., _orig_mod., model.)",
)
