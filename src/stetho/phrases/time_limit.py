"""The scheduler ended the job because its time was up.

## What it tells
That the program was well and was not given enough time.

## What it does not tell
Whether it would have finished soon.
"""

from stetho.phrase import Phrase

time_limit = Phrase(
    id="time-limit",
    says="the scheduler's time limit ended the job",
    words=(
        "wallclock",
        "maxruntimeinseconds",
        "maximum execution time",
        "deadlineexceeded",
        "wall time",
        "term_runlimit",
        "time limit",
        "walltime",
        "run time limit",
        "runlimit",
        "timelimit",
    ),
    patterns=(
        r"exceeded (?:hard )?wall ?clock",
        r"exceeded MaxRuntimeInSeconds",
        r"exceeded the maximum execution time",
        r"Reason: ?DeadlineExceeded",
        r"DUE TO TIME LIMIT",
        r"walltime 0 exceeded limit",
        r"job killed: walltime",
        r"TERM_RUNLIMIT",
        r"reached (?:LSF )?run ?time limit",
        r"TimeLimit reached",
        r"exceeded (?:its )?(?:hard )?(?:wall ?time|time limit)",
    ),
    fires=(
        "Reason: DeadlineExceeded",
        "job 4711 exceeded hard wallclock time - initiate terminate method",
        "MOAB_INFO:  job exceeded wallclock limit",
        "Job runtime exceeded MaxRuntimeInSeconds provided",
        "The job exceeded the maximum execution time and was cancelled",
        "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
        "job reached run time limit",
        "JobHeldUser: TimeLimit reached",
        "the job exceeded its wall time",
        "slurmstepd: error: *** JOB 4711 ON node01 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***",
        "=>> PBS: job killed: walltime 3612 exceeded limit 3600",
    ),
    quiet=(
        "wallclock time 3612 s",
        "#SBATCH --time=24:00:00  # time limit",
        "time limit of an episode: 500 steps",
    ),
    ended="SIGTERM",
)
