"""Gradients are clipped at the wrong time.

## What happens
The clipping comes before backward, after the step, or before a gradient scaler's factor is taken out. The step uses
the gradient as backward has left it, and a single large one can throw the model off.

## How it is told apart
The order of the calls shows it, and with the same limit between backward and step the run is calm.

## How it is fixed
Clip after backward (and after `unscale_`), before the step.
"""

from stetho.cause import Cause

clip_misplaced = Cause(
    id="train/clip-misplaced",
    context={"clipped-gradients": (1.5, 0.02)},
    share=0.03,
    symptoms={
        "loss-nonfinite": 0.30, "loss-diverging": 0.15, "loss-spike": 0.12, "loss-oscillating": 0.10,
        "gradients-exploding": 0.05, "loss-flat": 0.08, "none": 0.16,
    },
    predicts={
        "clip-without-effect": 0.96,
        "updates-too-large": 0.45,
        "loss-swings-back": 0.30,
        "gradient-run-up": 0.40,
        "loss-run-up": 0.50,
        "clip-in-time": {"symptom-gone": 0.62, "better": 0.31, "same": 0.04, "worse": 0.02, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.45, "better": 0.25, "same": 0.18, "worse": 0.10, "new-failure": 0.02},
        "lr=x0.01": {"symptom-gone": 0.45, "better": 0.20, "same": 0.18, "worse": 0.15, "new-failure": 0.02},
    },
    mechanism=("clip-without-effect",),
    statement="gradients are clipped at a time when no step uses them",
    test="clip at the same limit between backward and step: if nothing improves, it is not this",
    fix="clip between backward (and unscale_) and step",
    trial="clip-in-time",
)  # fmt: skip
