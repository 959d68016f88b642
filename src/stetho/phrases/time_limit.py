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
        "wall time",
        "term_runlimit",
        "time limit",
        "walltime",
        "run time limit",
        "runlimit",
        "timelimit",
    ),
    patterns=(
        r"DUE TO TIME LIMIT",
        r"walltime 0 exceeded limit",
        r"job killed: walltime",
        r"TERM_RUNLIMIT",
        r"reached (?:LSF )?run ?time limit",
        r"TimeLimit reached",
        r"exceeded (?:its )?(?:hard )?(?:wall ?time|time limit)",
    ),
    fires=(
        "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
        "job reached run time limit",
        "JobHeldUser: TimeLimit reached",
        "the job exceeded its wall time",
        "slurmstepd: error: *** JOB 4711 ON node01 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***",
        "=>> PBS: job killed: walltime 3612 exceeded limit 3600",
    ),
    quiet=(
        "#SBATCH --time=24:00:00  # time limit",
        "time limit of an episode: 500 steps",
    ),
    ended="SIGTERM",
)
