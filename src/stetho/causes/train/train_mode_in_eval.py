"""The model is in training mode while it is evaluated.

## What happens
Dropout throws away part of each answer and batch normalisation uses the statistics of the batch at hand, so that
held-out results look worse, or other, than they are. Training itself is not touched.

## How it is told apart
The model is called without gradients in training mode, or drops numbers by a function that does not ask for the mode;
in evaluation mode, with nothing dropped, the same run prints better results.

## How it is fixed
Call `model.eval()` before evaluation and `model.train()` after it; give `F.dropout` `training=self.training`.
"""

from stetho.cause import Cause

train_mode_in_eval = Cause(
    id="train/train-mode-in-eval",
    context={"modes-matter": (1.5, 0.05)},
    share=0.08,
    symptoms={"none": 0.58, "overfitting": 0.16, "metric-stuck": 0.12, "loss-flat": 0.03, "loss-slow": 0.02},
    predicts={
        "evaluated-in-training-mode": 0.90,
        "dropout-ignores-mode": 0.60,
        "right-mode=evaluation": {
            "symptom-gone": 0.30, "better": 0.58, "same": 0.09, "worse": 0.02, "new-failure": 0.01,
        },
    },
    mechanism=("evaluated-in-training-mode", "dropout-ignores-mode"),
    statement="dropout and batch normalisation are in training mode while the model is evaluated",
    test="evaluate in evaluation mode: if the results are the same, it is not this",
    fix="call model.eval() before evaluation and model.train() after it, and tell F.dropout the mode",
    trial="right-mode=evaluation",
)  # fmt: skip
