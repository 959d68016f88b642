"""Storage stalls or fails.

## What happens
Reads and writes wait for a server or a disk, or fail.

## How it is told apart
The kernel or the failing call names the server, the device or the file.

## How it is fixed
Copy the data to a local disk, and have the storage looked at.
"""

from stetho.cause import Cause

slow_storage = Cause(
    id="env/slow-storage",
    share=0.03,
    symptoms={"crash": 0.5, "slow-training": 0.22, "killed": 0.12, "hang": 0.04, "none": 0.1},
    predicts={"storage-failed": 0.9, "waits-for-data": 0.6, "explained-at-the-end": 0.85, "exception-raised": 0.8},
    mechanism=("storage-failed",),
    statement="storage does not answer or fails",
    test="copy the data to a local disk: if it still fails, it is not this",
    fix="copy the data to a local disk, and have the storage looked at",
    proof_by_artifact=True,
)
