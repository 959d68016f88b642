"""The loss is summed where it should be averaged, so that its scale follows the batch.

## What happens
Gradients are larger by the batch size. A learning rate that is usual for a mean then diverges, and the same
program behaves differently at another batch size.

## How it is told apart
The loss call says `reduction="sum"`, and a learning rate divided by the batch size cures it. So does it cure
a rate that is too high; the reduction is the more specific answer.

## How it is fixed
Use the mean, or divide by the number of samples.
"""

from stetho.cause import Cause

wrong_reduction = Cause(
    id="loss/wrong-reduction",
    share=0.04,
    symptoms={
        "loss-diverging": 0.30,
        "loss-nonfinite": 0.28,
        "loss-oscillating": 0.15,
        "loss-flat": 0.10,
        "none": 0.03,
        "loss-spike": 0.05,
    },
    predicts={
        "summed-over-batch": 0.98,
        "updates-too-large": 0.70,
        "lr=x0.1": {"symptom-gone": 0.50, "better": 0.25, "same": 0.15, "worse": 0.05, "new-failure": 0.05},
        "lr=x0.01": {"symptom-gone": 0.70, "better": 0.15, "same": 0.10, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("summed-over-batch",),
    statement="the loss is summed over the batch, so its gradient grows with the batch size",
    test="average the loss over the batch: if the symptom stays, it is not this",
    fix="use reduction='mean', or divide the loss by the number of samples",
)
