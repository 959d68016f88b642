"""A checkpoint is cut, empty or unreadable.

## What happens
Loading fails at once, mostly after a run that was ended while it saved. The log of that run ends without a word of it.

## How it is told apart
The library that loads it says how it is broken, or the file on disk shows it.

## How it is fixed
Load an earlier one; save to another name and rename at the end.
"""

from stetho.cause import Cause

checkpoint_corrupt = Cause(
    id="env/checkpoint-corrupt",
    share=0.04,
    symptoms={"crash": 0.66, "none": 0.30},
    predicts={
        "saved-file-unreadable": 0.85,
        "broken-file-loaded": 0.95,
        "checkpoint-unfinished": 0.95,
        "explained-at-the-end": 0.6,
        "exception-explained": 0.95,
        "exception-raised": 0.95,
    },
    mechanism=("saved-file-unreadable", "broken-file-loaded", "checkpoint-unfinished"),
    statement="a saved file cannot be read",
    test="load the file by itself: if that works, it is not this",
    fix="load an earlier checkpoint, and save to another name that is renamed at the end",
    proof_by_artifact=True,
)
