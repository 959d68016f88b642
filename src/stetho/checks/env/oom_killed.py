import re
from collections.abc import Iterator

from stetho.amounts import duration, size
from stetho.check import Finding, check
from stetho.facts import KernelLog

TRAINS = re.compile(r"^(?:python|pypy|pt_|ray::|torchrun|accelerate|deepspeed)")
KILL = {
    "kind": "oom-kill", "text": "Memory cgroup out of memory: Killed process 4711 (python)", "line": 3, "pid": 4711,
    "process": "python", "cgroup": "/docker/1f", "resident": 17_000_000_000, "age": 700.0,
}  # fmt: skip


@check(
    reads=KernelLog,
    root="kernel oom-kill",
    background=0.01,
    fires={
        "the process asked about": {"events": [KILL], "lines": 900, "family": [4711]},
        "when the folder fell silent": {"events": [KILL], "lines": 900, "quiet": 705.0},
    },
    quiet={
        "long before the run's last output": {"events": [KILL], "lines": 900, "family": [99], "quiet": 2.0},
        "the run went on writing": {"events": [{**KILL, "age": 100.0}], "lines": 900, "quiet": 2.0},
        "another program, just when the run stopped": {
            "events": [{**KILL, "pid": 12, "process": "chrome"}],
            "lines": 900,
            "quiet": 705.0,
        },
        "nothing was killed": {"events": [], "lines": 900, "family": [4711], "quiet": 5.0},
    },
    given={"none/healthy": 0.002, "env/host-oom": 0.5, "env/worker-crash": 0.3},
)
def oom_killed(log: KernelLog, *, near: float = 120.0) -> Iterator[Finding]:
    """The kernel killed a process of the run for want of memory.

    ## Why it matters
    The process could not say anything: its log ends in the middle, without an exception.

    ## False alarms
    A kill counts when it names a process of the run, or a Python one at the time when the run's folder fell silent.
    """
    for event in log.events:
        if event.kind != "oom-kill":
            continue
        ours = event.pid is not None and event.pid in log.family
        fell = log.quiet is not None and event.age is not None and -10 <= log.quiet - event.age <= near
        if ours or (fell and TRAINS.match(event.process)):
            had = f" with {size(event.resident)}" if event.resident else ""
            where = f" by the limit of {event.cgroup}" if event.cgroup else ""
            when = f", {duration(event.age)} ago" if event.age is not None else ""
            tied = "" if ours else ", when the run's folder fell silent"
            yield Finding(
                f"the kernel killed pid {event.pid} ({event.process}){had} for want of memory{where}{when}{tied}"
            )
