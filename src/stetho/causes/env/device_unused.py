"""Training runs on the wrong device, or leaves one out.

## What happens
A driver or a build without support for the accelerator makes the program fall back to the processor.

## How it is told apart
The log says so, and the accelerators of the machine are idle and empty.

## How it is fixed
Install a build for the accelerator, or hand the model and the batches to it.
"""

from stetho.cause import Cause

device_unused = Cause(
    id="env/device-unused",
    share=0.01,
    symptoms={"slow-training": 0.8, "none": 0.15},
    predicts={"accelerators-idle": 0.95},
    mechanism=("accelerators-idle",),
    statement="an accelerator is there and not used",
    test="ask torch.cuda.is_available() in the same environment: if it is true, it is not this",
    fix="install a build for the accelerator, and move model and batches to it",
)
