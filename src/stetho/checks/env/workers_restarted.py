from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import SchedulerJob


@check(
    reads=SchedulerJob,
    root="launcher restarts",
    background=0.01,
    fires={"twice": {"kind": "torchrun", "restarts": 2}},
    quiet={"never": {"kind": "torchrun", "restarts": 0}, "slurm only": {"kind": "slurm"}},
    given={"none/healthy": 0.01},
)
def workers_restarted(job: SchedulerJob) -> Iterator[Finding]:
    """An elastic launcher has started the ranks anew.

    ## Why it matters
    A rank failed before; what is in the log now may begin in the middle, from a checkpoint or from nothing.

    ## False alarms
    Machines that join or leave an elastic run restart it, too.
    """
    if job.restarts:
        times = "once" if job.restarts == 1 else f"{job.restarts} times"
        yield Finding(f"the launcher has restarted the ranks {times}; the first failure is further up in the log")
