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
        "all available ram",
        "more memory than is available",
        "over cgroup memory",
        "term_memlimit",
        "memory usage limit",
        "job killed:",
        "low on memory",
        "memory pressure",
        "oom_kill",
        "oom killed",
        "oom-kill event",
        "memory limit",
    ),
    patterns=(
        r"gone over (?:cgroup )?memory limit",
        r"crashed after using all available RAM",
        r"tried to allocate more memory than is available",
        r"[Cc]ontainer exceeded (?:its )?memory limit",
        r"killed due to (?:the node running low on memory|memory pressure)",
        r"job killed: v?mem 0",
        r"Detected 0 oom[_-]kill event",
        r"task.{0,40}OOM Killed",
        r"[Ee]xceeded (?:job|step) memory limit",
        r"oom-kill event\(s\)",
        r"TERM_MEMLIMIT",
        r"job killed: (?:v?mem|pvmem) 0",
    ),
    fires=(
        (
            "Error from slot1_3@node7: Job has gone over cgroup memory limit of 8192 megabytes. Last measured "
            "usage: 8190 megabytes."
        ),
        "Your session crashed after using all available RAM.",
        "Your notebook tried to allocate more memory than is available. It has restarted.",
        "Job was terminated: the container exceeded its memory limit",
        "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=4711.batch",
        "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
        "=>> PBS: job killed: mem 68719476736 exceeded limit 67108864",
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
        "2 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0. Some of the step tasks have been OOM Killed.",
        "slurmstepd: error: Exceeded job memory limit at some point.",
    ),
    quiet=(
        "using all available RAM for the cache",
        "the node is running low on memory, 3 GB are left",
        "=>> PBS: job killed: walltime 3612 exceeded limit 3600",
        "memory limit per GPU: 40 GiB",
    ),
    ended="SIGKILL",
)
