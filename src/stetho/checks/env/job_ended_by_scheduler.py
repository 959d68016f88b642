from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import SchedulerJob

ENDED = ("TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "DEADLINE", "BOOT_FAIL")
JOB = {"id": "8123", "name": "train", "state": "TIMEOUT", "meaning": "reached its time limit", "elapsed": 86_412.0}


@check(
    reads=SchedulerJob,
    root="scheduler state",
    background=0.01,
    fires={
        "out of time": {"kind": "slurm", "jobs": [JOB]},
        "soon out of time": {
            "kind": "slurm",
            "jobs": [{**JOB, "state": "RUNNING", "elapsed": 86_300.0, "limit": 86_400.0}],
        },
    },
    quiet={
        "runs": {"kind": "slurm", "jobs": [{**JOB, "state": "RUNNING", "elapsed": 60.0, "limit": 86_400.0}]},
        "completed just in time": {
            "kind": "slurm",
            "jobs": [{**JOB, "state": "COMPLETED", "elapsed": 86_399.0, "limit": 86_400.0}],
        },
        "torchrun only": {"kind": "torchrun"},
    },
    given={"none/healthy": 0.01, "env/killed": 0.5, "env/host-oom": 0.2},
)
def job_ended_by_scheduler(job: SchedulerJob, *, soon: float = 300.0) -> Iterator[Finding]:
    """The scheduler ended the job, or is about to.

    ## Why it matters
    The program is not at fault: it had no time, memory or node left, or gave way to another job.

    ## False alarms
    None known; cancelled jobs are not counted, as mostly their owner has cancelled them.
    """
    for one in job.jobs:
        if one.state in ENDED:
            reason = f" ({one.reason})" if one.reason else ""
            yield Finding(f"Slurm job {one.id} {one.meaning}{reason}")
        elif one.state == "RUNNING" and one.limit and one.elapsed is not None and one.limit - one.elapsed < soon:
            yield Finding(f"Slurm job {one.id} has {duration(one.limit - one.elapsed)} left of its time")
