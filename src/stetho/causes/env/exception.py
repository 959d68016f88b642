"""An ordinary exception ended the program; the traceback says it.

## What happens
A missing file, a wrong shape, a typo: the program stops where Python says it stops.

## How it is told apart
The traceback is the proof. A more specific cause wins wherever one explains the exception.

## How it is fixed
At the line the traceback names.
"""

from stetho.cause import Cause

exception = Cause(
    id="env/exception",
    share=0.45,
    symptoms={"crash": 0.97, "none": 0.01},
    # A more specific cause claims the exceptions that it can read; this one takes the rest.
    predicts={
        "exception-raised": 0.98,
        "native-fault": 0.5,
        "thread-failed": 0.5,
        "label-out-of-range": 0.02,
        "disk-full-reported": 0.02,
        "device-memory-exhausted": 0.02,
        "loader-worker-died": 0.02,
        "explained-at-the-end": 0.02,
        "device-memory-reported": 0.02,
        "no-space-reported": 0.02,
        "worker-death-reported": 0.02,
        "oom-kill-logged": 0.02,
        "host-memory-exhausted": 0.02,
        "gpu-fault-said": 0.02,
        "collective-timed-out": 0.02,
        "collectives-differ": 0.02,
        "storage-failed": 0.02,
        "saved-file-unreadable": 0.02,
        "broken-file-loaded": 0.02,
        "versions-misfit": 0.02,
    },
    mechanism=("exception-raised", "native-fault", "thread-failed"),
    statement="an exception ended the program",
    test="run the same command again: if it does not stop there, it is not this",
    fix="mend the line that the traceback names",
    proof_by_artifact=True,
)
