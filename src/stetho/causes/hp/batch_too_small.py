"""A step sees so few samples that chance decides where it goes.

## What happens
The loss comes down for a while and then wanders, far above what the model could reach, however long it goes on.

## How it is told apart
Gradients of neighbouring steps have nothing in common, and their noise at this rate comes to a good part of the loss.
On the mean of several batches, at the same rate and with the same samples, it ends clearly lower. A rate that is too
high overshoots on large batches, too.

## How it is fixed
More samples to a step, or gradients of several batches added up, divided by their number. A smaller rate, or one that
falls towards the end, averages as well, and takes longer.
"""

from stetho.cause import Cause

batch_too_small = Cause(
    id="hp/batch-too-small",
    share=0.10,
    symptoms={
        "none": 0.45, "loss-oscillating": 0.14, "loss-flat": 0.17, "loss-slow": 0.03, "loss-spike": 0.06,
        "loss-diverging": 0.04, "metric-stuck": 0.04, "overfitting": 0.02,
    },
    predicts={
        "noise-outweighs-gradient": 0.85,
        "updates-too-large": 0.35,
        "loss-swings-back": 0.03,
        "averaged-gradients": {"symptom-gone": 0.40, "better": 0.48, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.50, "better": 0.38, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
        "lr=x0.1": {"symptom-gone": 0.40, "better": 0.42, "same": 0.10, "worse": 0.07, "new-failure": 0.01},
        "lr=x0.01": {"symptom-gone": 0.25, "better": 0.30, "same": 0.20, "worse": 0.24, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.01, "better": 0.01, "same": 0.28, "worse": 0.50, "new-failure": 0.20},
    },
    mechanism=("noise-outweighs-gradient",),
    statement="a step sees so few samples that the noise of their gradients keeps the loss up",
    test="step on the mean of several batches at the same rate: if nothing improves, it is not this",
    fix="put more samples into a batch, or add up the gradients of several and divide by their number",
    trial="averaged-gradients",
)  # fmt: skip
