"""The program was ended from outside: by a time limit, a preemption, or a signal.

## What happens
A scheduler or a person ends a run that may be well.

## How it is told apart
The scheduler says so, with its reason.

## How it is fixed
Ask for more time, save checkpoints often and resume from them.
"""

from stetho.cause import Cause

killed = Cause(
    id="env/killed",
    share=0.06,
    symptoms={"killed": 0.82, "crash": 0.15, "none": 0.02},
    predicts={
        "ended-from-outside": 0.75,
        "killed-unexplained": 0.5,
        "explained-at-the-end": 0.55,
        "exception-raised": 0.5,
        "oom-kill-logged": 0.02,
    },
    mechanism=("ended-from-outside", "killed-unexplained"),
    statement="it was ended from outside",
    test="look into the scheduler's record of the job: if it ended by itself, it is not this",
    fix="ask for more time, and resume from the last checkpoint",
    proof_by_artifact=True,
)
