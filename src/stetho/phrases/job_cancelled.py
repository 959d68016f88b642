"""Somebody or something cancelled the job.

## What it tells
That the scheduler sent the signal that ended it.

## What it does not tell
Who did, and why.
"""

from stetho.phrase import Phrase

job_cancelled = Phrase(
    id="job-cancelled",
    says="the job was cancelled",
    words=(
        "cancelled at",
        "force terminated",
        "job_killed",
        "term_owner",
    ),
    patterns=(
        r"\*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT (?!.*DUE TO (?:TIME LIMIT|PREEMPTION|NODE))",
        r"Force Terminated job",
        r"TERM_OWNER",
    ),
    fires=(
        "srun: Force Terminated job 4711",
        "TERM_OWNER: job killed by owner.",
        "slurmstepd: error: *** JOB 4711 ON node01 CANCELLED AT 2024-05-01T12:00:00 ***",
        "slurmstepd: error: *** STEP 4711.0 ON node01 CANCELLED AT 2024-05-01T12:00:00 ***",
    ),
    quiet=("slurmstepd: error: *** JOB 4711 ON node01 CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***",),
    ended="SIGTERM",
)
