from collections.abc import Iterator

from stetho.amounts import size
from stetho.check import Finding, check
from stetho.facts import ResourceLimits

GB = 1 << 30


@check(
    reads=ResourceLimits,
    root="container memory",
    background=0.02,
    fires={"a few megabytes left": {"memory_max": 16 * GB, "memory_used": 16 * GB - (90 << 20), "oom_kills": 1}},
    quiet={
        "well used": {"memory_max": 16 * GB, "memory_used": 13 * GB, "limit_hits": 4000},
        "no limit": {"memory_used": 60 * GB},
    },
    given={"none/healthy": 0.01, "env/host-oom": 0.4},
)
def memory_limit_near(limits: ResourceLimits, *, share: float = 0.97) -> Iterator[Finding]:
    """The run's container has used up nearly all memory that it may have.

    ## Why it matters
    At the limit the kernel kills the largest process, without a word in the run's own log.

    ## False alarms
    File contents that can be dropped are not counted as use; a run that stays just below its limit is safe.
    """
    if limits.memory_max and limits.memory_used is not None and limits.memory_used >= share * limits.memory_max:
        killed = f"; {limits.oom_kills} processes were killed for it before" if limits.oom_kills else ""
        yield Finding(f"{size(limits.memory_used)} of the {size(limits.memory_max)} allowed are in use{killed}")
