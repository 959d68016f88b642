"""A gradient that is written by hand is wrong.

## What happens
A function of the program's own has a backward that does not belong to its forward pass: a factor, a sign, a transpose
or a term is missing. Losses often fall all the same, more slowly or not as far, as other layers make up for it.

## How it is told apart
The gradient is held against differences of the function's own forward pass, at the inputs of the run. Derived from the
forward pass by torch, it trains better. A smaller rate calms a run whose steps go astray, and does not set them right.

## How it is fixed
Correct the backward, with `torch.autograd.gradcheck` beside it; or leave it out and let torch derive it.
"""

from stetho.cause import Cause

wrong_gradient = Cause(
    id="train/wrong-gradient",
    # Few programs write a gradient by hand; of those that do, not so few get it wrong.
    context={"own-gradients": (10.0, 0.02)},
    share=0.03,
    symptoms={
        "none": 0.48, "loss-slow": 0.12, "loss-flat": 0.12, "loss-high": 0.08, "loss-diverging": 0.06,
        "loss-oscillating": 0.05, "loss-nonfinite": 0.03, "metric-stuck": 0.03,
    },
    predicts={
        "gradient-not-the-slope": 0.95,
        # Steps that do not go down may run away, and all that makes them smaller calms that.
        "updates-too-large": 0.35,
        "loss-run-up": 0.25,
        "gradient-run-up": 0.12,
        "loss-swings-back": 0.12,
        "derived-gradient": {"symptom-gone": 0.34, "better": 0.43, "same": 0.18, "worse": 0.04, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.10, "better": 0.26, "same": 0.37, "worse": 0.24, "new-failure": 0.03},
        "lr=x0.01": {"symptom-gone": 0.08, "better": 0.20, "same": 0.38, "worse": 0.31, "new-failure": 0.03},
        "clip=1": {"symptom-gone": 0.05, "better": 0.14, "same": 0.61, "worse": 0.18, "new-failure": 0.02},
        "warmup": {"symptom-gone": 0.04, "better": 0.12, "same": 0.64, "worse": 0.18, "new-failure": 0.02},
    },
    mechanism=("gradient-not-the-slope",),
    statement="a gradient that is written by hand is not that of its forward pass",
    test="let torch derive the gradient from the forward pass: if nothing improves, it is not this",
    fix="correct the backward until torch.autograd.gradcheck accepts it, or let torch derive it",
    trial="derived-gradient",
)  # fmt: skip
