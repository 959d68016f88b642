"""The accelerator ran out of memory.

## What happens
An allocation fails, at the first large batch or after memory has grown.

## How it is told apart
The exception says so, with the sizes.

## How it is fixed
A smaller batch, gradient accumulation or checkpointing; when it comes late, look for tensors that are kept.
"""

from stetho.cause import Cause

device_oom = Cause(
    id="env/device-oom",
    share=0.08,
    symptoms={"crash": 0.96, "none": 0.01, "memory-growing": 0.02},
    predicts={
        "device-memory-exhausted": 0.98,
        "device-memory-reported": 0.98,
        "exception-raised": 0.98,
        "explained-at-the-end": 0.9,
    },
    mechanism=("device-memory-exhausted", "device-memory-reported"),
    statement="the accelerator is out of memory",
    test="halve the batch: if it still stops there, it is not this",
    fix="use a smaller batch, gradient accumulation or activation checkpointing",
    proof_by_artifact=True,
)
