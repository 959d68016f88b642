from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import Standstill

QUIET = {"idle": 2, "silent": 10_800.0, "usual": 1.4, "step": 90}


@check(
    reads=Standstill,
    root="standstill",
    severity=93,
    fires={
        "silent for hours, all wait": QUIET,
        "waits for a worker that waits for a lock": {"idle": 2, "circle": "pid 1 waits in get; pid 2 waits for a lock"},
        "ranks in different calls": {"apart": "rank 0 in allreduce and rank 1 in allgather"},
    },
    quiet={
        "somebody looked while it computed": {**QUIET, "active": 1},
        "it had just logged": {**QUIET, "silent": 3.0},
        "it is not known when": {"idle": 1},
        "an evaluation": {"idle": 1, "silent": 200.0, "usual": 30.0},
    },
)
def hang(stood: Standstill, *, longest: float = 300.0, times: float = 20.0) -> Iterator[Finding]:
    """The run was alive and did not go on.

    ## Why it matters
    It holds its devices and does nothing until somebody or a watchdog ends it.

    ## False alarms
    A long evaluation or a large checkpoint waits as well; a silence counts when it is far longer than usual.
    """
    long = stood.silent is not None and stood.silent > max(longest, times * (stood.usual or 0.0))
    waiting = long and stood.idle > 0 and stood.active == 0
    if stood.apart:
        yield Finding(f"ranks wait for each other: {stood.apart}", where=stood.where, step=stood.step)
    elif stood.circle or waiting:
        since = f"nothing was logged for {duration(stood.silent or 0)} when somebody looked" if long else ""
        told = "; ".join(part for part in (since, stood.circle or "all of its processes waited") if part)
        yield Finding(told, where=stood.where, step=stood.step)
