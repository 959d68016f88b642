from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import KernelLog

BLOCKED = {
    "kind": "blocked",
    "text": "INFO: task python:4711 blocked for more than 122 seconds.",
    "line": 3,
    "pid": 4711,
    "process": "python",
    "age": 60.0,
}


@check(
    reads=KernelLog,
    root="kernel blocked task",
    background=0.01,
    fires={"a process of the run": {"events": [BLOCKED], "lines": 9, "family": [4711]}},
    quiet={
        "another one": {"events": [BLOCKED], "lines": 9, "family": [12]},
        "hours ago": {"events": [{**BLOCKED, "age": 9000.0}], "lines": 9, "family": [4711]},
    },
    given={"none/healthy": 0.002, "env/hang": 0.3, "env/slow-storage": 0.3},
)
def task_blocked(log: KernelLog, *, recent: float = 1800.0) -> Iterator[Finding]:
    """The kernel noticed that a process of the run has waited for minutes without being interruptible.

    ## Why it matters
    It waits for storage or a driver that does not answer; not even SIGKILL ends it.

    ## False alarms
    An overloaded disk lets a process wait so long and go on.
    """
    for pid in log.family:
        seen = [event for event in log.events if event.kind == "blocked" and event.pid == pid]
        if seen and (seen[-1].age is None or seen[-1].age <= recent):
            when = f", last told {duration(seen[-1].age)} ago" if seen[-1].age is not None else ""
            yield Finding(f"pid {pid} ({seen[-1].process}) was blocked in the kernel for minutes{when}")
