"""Rectified units that never fire.

## What happens
A unit whose input is below zero for every sample gives zero and gets no gradient, so that nothing ever wakes it. Where
a whole layer sleeps, what lies below it cannot learn at all and the output is one constant.

## How it is told apart
Nearly all units of a layer are zero for whole batches, and an activation with a slope below zero lets the same run
learn. Where units fall asleep because single steps are too large, a smaller rate prevents it.

## How it is fixed
Weights and biases that begin around zero, or an activation that is not flat below it; a smaller rate when units die on
the way.
"""

from stetho.cause import Cause

dead_units = Cause(
    id="arch/dead-units",
    share=0.10,
    symptoms={"loss-flat": 0.70, "none": 0.12, "loss-slow": 0.10, "gradients-vanishing": 0.03, "loss-spike": 0.02},
    predicts={
        "units-dead": 0.96,
        "updates-too-small": 0.50,
        "activation=leaky": {"symptom-gone": 0.55, "better": 0.33, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
        "fresh-weights": {"symptom-gone": 0.30, "better": 0.20, "same": 0.45, "worse": 0.04, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.05, "same": 0.80, "worse": 0.11, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.02, "better": 0.05, "same": 0.75, "worse": 0.13, "new-failure": 0.05},
        "lr=x0.1": {"symptom-gone": 0.08, "better": 0.07, "same": 0.80, "worse": 0.04, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.05, "better": 0.15, "same": 0.75, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("units-dead",),
    statement="nearly all rectified units of a layer never fire",
    test="give the activation a slope below zero: if nothing improves, it is not this",
    fix="begin with weights and biases around zero, or use an activation that is not flat below it",
    trial="activation=leaky",
)
