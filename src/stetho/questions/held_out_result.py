"""How it does on data that it does not train on.

## Why it is asked
Only both curves together tell learning by heart from learning nothing.

## How it is answered
From the logged validation loss or score.
"""

from stetho.answers import course, curves
from stetho.facts import Metrics, ValidationLoss
from stetho.question import Question, Way


def from_losses(found: ValidationLoss, step: int | None) -> str:
    told = course(found.steps, found.values, None)
    return f"{found.name} {told}" if told else ""


def from_log(metrics: Metrics, step: int | None) -> str:
    for curve in curves(metrics, "score", "validation"):
        told = course(curve.steps, curve.values, None)
        if told:
            return f"{curve.name} {told}"
    return ""


held_out_result = Question(
    id="held-out-result",
    short="validation",
    asks="How does it do on validation data?",
    about=("overfitting", "metric-stuck", "too-good", "loss-flat", "loss-slow"),
    ways=(
        Way(
            ValidationLoss,
            from_losses,
            {
                "turns": (
                    {"name": "val_loss", "steps": [1, 2, 3], "values": [1.0, 0.5, 0.9]},
                    None,
                    "val_loss 1 at first, 0.9 at step 3",
                ),
                "nothing": ({"name": "val_loss", "steps": [], "values": []}, None, ""),
            },
        ),
        Way(
            Metrics,
            from_log,
            {
                "a score": (
                    {"curves": [{"name": "val/acc", "kind": "score", "split": "validation", "file": "log",
                                 "points": 2, "steps": [1, 2], "values": [0.5, 0.5]}]},
                    None,
                    "val/acc 0.5 throughout",
                ),
                "only training is logged": (
                    {"curves": [{"name": "acc", "kind": "score", "split": "training", "file": "log",
                                 "points": 2, "steps": [1, 2], "values": [0.5, 0.5]}]},
                    None,
                    "",
                ),
            },
        ),
    ),
    otherwise="evaluate on data that is not trained on, and log it",
)  # fmt: skip
