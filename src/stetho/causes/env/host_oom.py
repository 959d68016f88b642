"""The machine ran out of memory, and the kernel killed the program or refused it more.

## What happens
Memory of the machine grows with loaders, caches and lists that are kept, until the kernel or a
container's limit ends it.

## How it is told apart
The kernel's or the scheduler's log names the process; the program itself says at most one word.

## How it is fixed
Fewer loader workers, smaller caches, what is kept detached; or more memory for the job.
"""

from stetho.cause import Cause

host_oom = Cause(
    id="env/host-oom",
    share=0.06,
    symptoms={"killed": 0.72, "crash": 0.25, "none": 0.01},
    predicts={
        "oom-kill-logged": 0.75,
        "oom-killed": 0.6,
        "host-memory-exhausted": 0.75,
        "killed-unexplained": 0.55,
        "explained-at-the-end": 0.55,
        "exception-raised": 0.5,
        "worker-death-reported": 0.1,
        "ended-from-outside": 0.02,
    },
    mechanism=("oom-kill-logged", "oom-killed", "host-memory-exhausted", "killed-unexplained"),
    statement="the machine's memory ran out",
    test="watch the resident memory of the program: if it stays far below the limit, it is not this",
    fix="use fewer loader workers, keep less, or ask for more memory",
    proof_by_artifact=True,
)
