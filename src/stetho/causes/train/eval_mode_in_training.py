"""The model is in evaluation mode while it is trained.

## What happens
Typically `model.eval()` is called for the first evaluation and nothing switches back. Dropout no longer regularises,
and batch normalisation goes on with statistics that nothing updates.

## How it is told apart
Most steps are taken in evaluation mode. In training mode the same run prints better held-out results.

## How it is fixed
Call `model.train()` before each epoch of training.
"""

from stetho.cause import Cause

eval_mode_in_training = Cause(
    id="train/eval-mode-in-training",
    context={"modes-matter": (1.5, 0.05)},
    share=0.05,
    symptoms={
        "none": 0.48, "overfitting": 0.20, "metric-stuck": 0.06, "loss-flat": 0.06, "loss-oscillating": 0.05,
        "loss-diverging": 0.04, "loss-slow": 0.04, "loss-nonfinite": 0.02,
    },
    predicts={
        "trained-in-evaluation-mode": 0.94,
        "right-mode=training": {
            "symptom-gone": 0.35, "better": 0.45, "same": 0.12, "worse": 0.07, "new-failure": 0.01,
        },
    },
    mechanism=("trained-in-evaluation-mode",),
    statement="the model is in evaluation mode while it is trained",
    test="train in training mode: if the held-out results are the same, it is not this",
    fix="call model.train() before each epoch of training",
    trial="right-mode=training",
)  # fmt: skip
