"""Ranks call different collectives, or a different number of them.

## What happens
One rank takes another branch or has one batch more, and the others wait until a timeout.

## How it is told apart
With TORCH_DISTRIBUTED_DEBUG=DETAIL torch names the ranks that differ, and watchdogs and flight recorders of several
ranks show it side by side; a timeout alone does not tell it from a rank that hangs.

## How it is fixed
Make every rank take the same branches, and give every rank as many batches.
"""

from stetho.cause import Cause

collective_mismatch = Cause(
    id="dist/collective-mismatch",
    share=0.15,
    context={"several-ranks": (5.0, 0.05)},
    symptoms={"killed": 0.3, "crash": 0.33, "hang": 0.33, "none": 0.02},
    predicts={
        "collectives-differ": 0.65,
        "ranks-call-differently": 0.92,
        "collective-timed-out": 0.35,
        "stood-still": 0.1,
        "explained-at-the-end": 0.6,
        "exception-raised": 0.55,
    },
    mechanism=("collectives-differ", "ranks-call-differently"),
    statement="ranks called different collectives",
    test="run with TORCH_DISTRIBUTED_DEBUG=DETAIL: if no mismatch is named, it is not this",
    fix="make every rank take the same branches and as many batches",
    proof_by_artifact=True,
)
