"""One term of the loss drowns the others.

## What happens
A penalty or a second task is weighed so heavily that each step pleases it alone. The loss falls as it should, and what
matters is not learned; or two terms pull against each other and cancel.

## How it is told apart
The term that knows the targets is a few hundredths of the loss and stays where it began. Without the others the model
learns; of several tasks, all are learned once their losses are of one size.

## How it is fixed
Weigh the terms so that their gradients are of one size, and print each of them.
"""

from stetho.cause import Cause

term_imbalance = Cause(
    id="loss/term-imbalance",
    share=0.08,
    context={"several-terms": (2.5, 0.05)},
    symptoms={
        "metric-stuck": 0.15, "loss-flat": 0.20, "loss-slow": 0.08, "loss-oscillating": 0.08, "loss-diverging": 0.06,
        "loss-nonfinite": 0.04, "overfitting": 0.03, "none": 0.32,
    },
    predicts={
        "labels-hardly-count": 0.60,
        "terms-totalled-differently": 0.55,
        "penalty-pleased-alone": 0.50,
        "task-outweighed": 0.50,
        "one-batch": {"symptom-gone": 0.15, "better": 0.30, "same": 0.50, "worse": 0.03, "new-failure": 0.02},
        "labels-only": {"symptom-gone": 0.40, "better": 0.46, "same": 0.10, "worse": 0.03, "new-failure": 0.01},
        "equal-terms": {"symptom-gone": 0.35, "better": 0.50, "same": 0.10, "worse": 0.04, "new-failure": 0.01},
    },
    mechanism=("labels-hardly-count", "terms-totalled-differently", "penalty-pleased-alone", "task-outweighed"),
    statement="one term of the loss drowns the one that knows the targets",
    test="train on what is compared with targets only: if nothing improves, it is not this",
    fix="weigh the terms so that each has its part in the gradient",
    trial="labels-only",
    control="equal-terms",
)  # fmt: skip
