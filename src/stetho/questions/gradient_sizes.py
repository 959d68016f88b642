"""The norm of the gradient up to when it happened.

## Why it is asked
A norm that climbs before a loss breaks says that the gradients carried it away; one that is steady says that a single
batch or number did.

## How it is answered
From the gradients as they were observed, or from a logged norm.
"""

from stetho.answers import course, curves
from stetho.facts import GradientNorms, Metrics
from stetho.question import Question, Way


def from_steps(norms: GradientNorms, step: int | None) -> str:
    return course(norms.steps, norms.norms, step)


def from_log(metrics: Metrics, step: int | None) -> str:
    for curve in curves(metrics, "gradient"):
        told = course(curve.steps, curve.values, step)
        if told:
            return f"{curve.name} {told}"
    return ""


gradient_sizes = Question(
    id="gradient-sizes",
    short="gradient norm",
    asks="How large was the gradient norm in the steps before?",
    about=(
        "loss-nonfinite", "loss-diverging", "loss-oscillating", "loss-spike", "loss-flat", "loss-slow",
        "gradients-exploding", "gradients-vanishing",
    ),
    ways=(
        Way(
            GradientNorms,
            from_steps,
            {
                "climbs": ({"steps": [0, 10, 20], "norms": [1.0, 5.0, 800.0]}, 20, "1 at first, 800 at step 20"),
                "nothing on record": ({"steps": [], "norms": []}, 20, ""),
            },
        ),
        Way(
            Metrics,
            from_log,
            {
                "logged": (
                    {"curves": [{"name": "grad_norm", "kind": "gradient", "split": "", "file": "log", "points": 2,
                                 "steps": [0, 100], "values": [1.5, 0.25]}]},
                    None,
                    "grad_norm 1.5 at first, 0.25 at step 100",
                ),
                "not logged": ({"curves": []}, None, ""),
            },
        ),
    ),
    otherwise="log the norm that clip_grad_norm_ returns, or `stetho run -- COMMAND`, which records it",
)  # fmt: skip
