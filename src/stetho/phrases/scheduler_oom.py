"""The scheduler says that a task was killed because its memory limit was reached.

## What it tells
That the job asked for less memory than it used.

## What it does not tell
At which point of the program.
"""

from stetho.phrase import Phrase

scheduler_oom = Phrase(
    id="scheduler-oom",
    says="the scheduler saw a kill for memory",
    words=(
        "oom_kill",
        "oom killed",
        "oom-kill event",
        "memory limit",
    ),
    patterns=(
        r"Detected 0 oom[_-]kill event",
        r"task.{0,40}OOM Killed",
        r"[Ee]xceeded (?:job|step) memory limit",
        r"oom-kill event\(s\)",
        r"TERM_MEMLIMIT",
        r"job killed: (?:v?mem|pvmem) 0",
    ),
    fires=(
        "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0. Some of the step tasks have been OOM Killed.",
        "slurmstepd: error: Exceeded job memory limit at some point.",
    ),
    quiet=("memory limit per GPU: 40 GiB",),
    ended="SIGKILL",
)
