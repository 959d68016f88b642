"""The parametrisation cannot move what is measured.

## What happens
What the parameters add is the same for everything that is compared, or cancels out: a shift of all scores before a
softmax, a correction averaged over the candidates that it should tell apart. The loss stays where it began, at any
learning rate.

## How it is told apart
The gradient is there and is nothing but rounding from the first step on, and a rate a thousand times larger changes
nothing. A rate that is too low has gradients of a usual size; a loss that is cut off has none.

## How it is fixed
Let the output differ where the loss compares: one score for each candidate, no average over what is to be told apart.
"""

from stetho.cause import Cause

structural_ceiling = Cause(
    id="arch/structural-ceiling",
    share=0.04,
    symptoms={"none": 0.50, "loss-flat": 0.25, "loss-slow": 0.10, "metric-stuck": 0.12},
    predicts={
        "gradient-is-rounding": 0.90,
        "updates-too-small": 0.60,
        "lr=x10": {"symptom-gone": 0.01, "better": 0.01, "same": 0.95, "worse": 0.02, "new-failure": 0.01},
        "lr=x100": {"symptom-gone": 0.01, "better": 0.01, "same": 0.95, "worse": 0.02, "new-failure": 0.01},
        "lr=x1000": {"symptom-gone": 0.01, "better": 0.01, "same": 0.93, "worse": 0.03, "new-failure": 0.02},
        "one-batch": {"symptom-gone": 0.02, "better": 0.05, "same": 0.90, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("gradient-is-rounding",),
    statement="no change of the parameters changes what the loss compares",
    test="multiply the rate by a thousand: if the loss moves, it is not this",
    fix="let the output differ where the loss compares; average over nothing that is to be told apart",
    control="lr=x1000",
    subtle=True,
)
