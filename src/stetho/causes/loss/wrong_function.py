"""The loss does not fit the task.

## What happens
Real numbers, or any number of tags at once, go through cross-entropy, which weighs classes against each other; class
numbers are fitted like amounts; a loss for yes and no gets three classes; a class is left out as if it were padding; a
softmax lets places or samples compete instead of classes.
The loss may fall, but what makes it small is not what is wanted.

## How it is told apart
What the loss is given is of another kind than it is made for. With a loss that fits the same outputs and targets, the
model learns.

## How it is fixed
Cross-entropy for one class of several, the binary loss for yes and no and for tags, squared error for amounts; and an
`ignore_index` that is no class; a softmax along the axis of the classes.
"""

from stetho.cause import Cause

wrong_function = Cause(
    id="loss/wrong-function",
    share=0.10,
    symptoms={
        "loss-flat": 0.20, "loss-slow": 0.04, "loss-diverging": 0.08, "metric-stuck": 0.08, "loss-oscillating": 0.03,
        "loss-nonfinite": 0.03, "too-good": 0.02, "overfitting": 0.05, "none": 0.45,
    },
    # Of the ways in which a loss can be another one than is needed, one shows; of their answers, one is counted.
    predicts={
        "numbers-as-shares": 0.80,
        "targets-beyond-binary": 0.80,
        "classes-as-numbers": 0.80,
        "labels-as-numbers": 0.80,
        "class-left-out": 0.80,
        "softmax-off-classes": 0.80,
        "falls-without-bound": 0.10,
        "fits-worse-as-it-falls": 0.10,
        "training-alone-fits": 0.15,
        "fitting-loss": {"symptom-gone": 0.40, "better": 0.44, "same": 0.12, "worse": 0.03, "new-failure": 0.01},
    },
    mechanism=(
        "numbers-as-shares", "targets-beyond-binary", "classes-as-numbers", "labels-as-numbers", "class-left-out",
        "softmax-off-classes",
    ),
    statement="the loss does not fit the task",
    test="use a loss that fits the targets: if nothing improves, it is not this",
    fix="cross-entropy for one class, the binary loss for yes and no, squared error for amounts; softmax over classes",
    trial="fitting-loss",
)  # fmt: skip
