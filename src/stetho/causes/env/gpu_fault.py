"""An accelerator or its driver is at fault.

## What happens
The device drops off the bus, or its memory has an error that cannot be corrected.

## How it is told apart
The driver says so in the kernel's log, with an Xid or an ECC error, and the same program runs elsewhere.

## How it is fixed
Reset or replace the device; run on another one.
"""

from stetho.cause import Cause

gpu_fault = Cause(
    id="env/gpu-fault",
    share=0.03,
    symptoms={"crash": 0.5, "killed": 0.36, "none": 0.02},
    predicts={"gpu-fault-said": 0.9, "gpu-fault-logged": 0.9, "explained-at-the-end": 0.8, "exception-raised": 0.7},
    mechanism=("gpu-fault-said", "gpu-fault-logged"),
    statement="an accelerator or its driver has a fault",
    test="run the same command on another device: if it fails there, too, it is not this",
    fix="run on another device, and have this one reset or replaced",
    proof_by_artifact=True,
)
