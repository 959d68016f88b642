"""No space or quota is left.

## What happens
A write fails, often that of a checkpoint, and a truncated file may be left.

## How it is told apart
The operating system says so in the exception.

## How it is fixed
Free space, or write elsewhere; check the last checkpoint before resuming.
"""

from stetho.cause import Cause

disk_full = Cause(
    id="env/disk-full",
    share=0.05,
    symptoms={"crash": 0.96, "none": 0.02},
    predicts={
        "disk-full-reported": 0.98,
        "no-space-reported": 0.98,
        "exception-raised": 0.98,
        "explained-at-the-end": 0.9,
    },
    mechanism=("disk-full-reported", "no-space-reported"),
    statement="no space or quota is left for what the program writes",
    test="free space and run it again: if it still stops there, it is not this",
    fix="free space or write elsewhere, and check the last checkpoint",
    proof_by_artifact=True,
)
