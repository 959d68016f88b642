"""Versions of libraries, of a driver or of a device do not fit together.

## What happens
Importing or the first call on the device fails.

## How it is told apart
The message names the symbol, the driver or the device that does not fit.

## How it is fixed
Install versions that were made for each other.
"""

from stetho.cause import Cause

version_mismatch = Cause(
    id="env/version-mismatch",
    share=0.05,
    symptoms={"crash": 0.93, "killed": 0.04, "none": 0.02},
    predicts={"versions-misfit": 0.9, "explained-at-the-end": 0.9, "exception-raised": 0.93},
    mechanism=("versions-misfit",),
    statement="versions do not fit together",
    test="run it in a fresh environment with the versions that the library asks for: if it still fails, it is not this",
    fix="install versions that were made for each other",
    proof_by_artifact=True,
)
