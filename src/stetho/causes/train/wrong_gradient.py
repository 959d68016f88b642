"""A gradient that is written by hand is wrong.

## What happens
A function of the program's own has a backward that does not belong to its forward pass: a factor, a sign, a transpose
or a term is missing. Losses often fall all the same, more slowly or not as far, as other layers make up for it.

## How it is told apart
The gradient is held against differences of the function's own forward pass, at the inputs of the run. Derived from the
forward pass by torch, it trains better.

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
        "derived-gradient": {"symptom-gone": 0.34, "better": 0.43, "same": 0.18, "worse": 0.04, "new-failure": 0.01},
    },
    mechanism=("gradient-not-the-slope",),
    statement="a gradient that is written by hand is not that of its forward pass",
    test="let torch derive the gradient from the forward pass: if nothing improves, it is not this",
    fix="correct the backward until torch.autograd.gradcheck accepts it, or let torch derive it",
    trial="derived-gradient",
)  # fmt: skip
