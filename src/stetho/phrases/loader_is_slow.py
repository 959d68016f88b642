"""A library says that loading data will be the bottleneck.

## What it tells
That few or too many workers are set.

## What it does not tell
Whether the accelerator really waits.
"""

from stetho.phrase import Phrase

loader_is_slow = Phrase(
    id="loader-is-slow",
    says="loading may be a bottleneck",
    words=(
        "excessive worker creation",
        "bottleneck",
        "suggested max number of worker",
        "worker processes in total",
    ),
    patterns=(
        r"does not have many workers which may be a bottleneck",
        r"suggested max number of worker",
        r"excessive worker creation",
    ),
    fires=(
        "This might be slow: excessive worker creation might get DataLoader running slow or even freeze",
        (
            "The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the"
            " value of the `num_workers` argument`"
        ),
        (
            "UserWarning: This DataLoader will create 16 worker processes in total. Our suggested max number of w"
            "orker in current system is 2"
        ),
    ),
    quiet=("the bottleneck block of ResNet",),
)
