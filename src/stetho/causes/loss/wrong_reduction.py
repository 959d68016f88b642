"""The loss is summed where it should be averaged, so that its scale follows the batch.

## What happens
Gradients are larger by the batch size. A learning rate that is usual for a mean then diverges, and the same
program behaves differently at another batch size.

## How it is told apart
The loss call says `reduction="sum"`, or the last thing done to the loss is a sum, and the mean cures it. A smaller rate
does, too, as it does for a rate that is too high; the reduction is the more specific answer. A softmax over the samples
instead of the classes shows in what enters the loss.

## How it is fixed
Use the mean, or divide by the number of samples.
"""

from stetho.cause import Cause

wrong_reduction = Cause(
    id="loss/wrong-reduction",
    share=0.09,
    symptoms={
        "loss-diverging": 0.28, "loss-nonfinite": 0.25, "loss-oscillating": 0.15, "loss-flat": 0.13, "none": 0.08,
        "loss-spike": 0.05, "loss-slow": 0.03,
    },
    predicts={
        "summed-over-batch": 0.95,
        "plain-sum-over-batch": 0.85,
        "loss-multiplied": 0.50,
        "normalised-over-batch": 0.50,
        "updates-too-large": 0.60,
        "mean-reduction": {"symptom-gone": 0.62, "better": 0.26, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
        "clip=1": {"symptom-gone": 0.40, "better": 0.25, "same": 0.23, "worse": 0.10, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.40, "better": 0.30, "same": 0.20, "worse": 0.05, "new-failure": 0.05},
        "lr=x0.01": {"symptom-gone": 0.60, "better": 0.20, "same": 0.15, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("summed-over-batch", "plain-sum-over-batch", "loss-multiplied", "normalised-over-batch"),
    statement="the loss is reduced wrongly over the batch, so that its scale or meaning follows the batch",
    test="average the loss over the batch: if the symptom stays, it is not this",
    fix="use reduction='mean', or divide the loss by the number of samples; normalise over the classes",
    trial="mean-reduction",
)  # fmt: skip
