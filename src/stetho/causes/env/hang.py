"""The program was alive and did not go on: something waited for something that never came.

## What happens
A rank waits in a collective, a loader for its worker, a lock for its owner.

## How it is told apart
A watchdog or a long silence in the log says that it waited; stacks of every rank say for what.

## How it is fixed
Find the rank that did not come, and what it did instead.
"""

from stetho.cause import Cause

hang = Cause(
    id="env/hang",
    share=0.05,
    symptoms={"killed": 0.35, "hang": 0.33, "crash": 0.27, "none": 0.02},
    predicts={
        "collective-timed-out": 0.7,
        "stood-still": 0.9,
        "explained-at-the-end": 0.6,
        "exception-raised": 0.4,
        "collectives-differ": 0.02,
        "ranks-call-differently": 0.02,
    },
    mechanism=("collective-timed-out", "stood-still"),
    statement="it waited for something that never came",
    test="take the stacks of every rank while it hangs: if one of them computes, it is not this",
    proof_by_artifact=True,
    fix="find the rank that did not come, and what it did instead",
)
