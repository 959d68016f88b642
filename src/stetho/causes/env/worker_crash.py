"""A loader worker died.

## What happens
A worker process is killed or crashes, and the training loop stops with it.

## How it is told apart
The loader names the worker and its signal.

## How it is fixed
Read the worker's own error above; fewer workers, more shared memory, or num_workers=0 to see it in the open.
"""

from stetho.cause import Cause

worker_crash = Cause(
    id="env/worker-crash",
    share=0.04,
    context={"loader-workers": (2.0, 0.1)},
    symptoms={"crash": 0.96, "none": 0.02},
    predicts={
        "loader-worker-died": 0.98,
        "worker-death-reported": 0.98,
        "exception-raised": 0.98,
        "explained-at-the-end": 0.9,
    },
    mechanism=("loader-worker-died", "worker-death-reported"),
    statement="a loader worker died",
    test="run with num_workers=0: if it still stops, it is not this",
    fix="read the worker's own error; fewer workers or more shared memory",
    proof_by_artifact=True,
)
