from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import Standstill

# Seconds without any processor time.
IDLE = 3.0
QUIET = {"idle": 2, "silent": 10_800.0, "usual": 1.4, "step": 90}


@check(
    reads=Standstill,
    root="standstill",
    severity=93,
    fires={
        "silent for hours, all wait": QUIET,
        "waits for a worker that waits for a lock": {"idle": 2, "circle": "pid 1 waits in get; pid 2 waits for a lock"},
        "watched, and nothing moves": {"idle": 1, "silent": 31.0, "usual": 0.01, "watched": 10.0},
        "ranks in different calls": {"apart": "rank 0 in allreduce and rank 1 in allgather"},
    },
    quiet={
        "somebody looked while it computed": {**QUIET, "active": 1},
        "it had just logged": {**QUIET, "silent": 3.0},
        "watched, and it waits for its next sample": {"idle": 1, "silent": 3.0, "usual": 2.0, "watched": 10.0},
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
    # Who was watched and used no processor at all has stopped, however short the time.
    watched = (
        stood.watched is not None and stood.watched >= IDLE and (stood.silent or 0.0) > times * (stood.usual or 0.0)
    )
    long = watched or (stood.silent is not None and stood.silent > max(longest, times * (stood.usual or 0.0)))
    waiting = long and stood.idle > 0 and stood.active == 0
    if stood.apart:
        yield Finding(f"ranks wait for each other: {stood.apart}", where=stood.where, step=stood.step)
    elif stood.circle or waiting:
        since = f"nothing was logged for {duration(stood.silent or 0)} when somebody looked" if long else ""
        if watched:
            since = f"no step for {duration(stood.silent or 0)}, and no processor time used for {stood.watched:.0f} s"
        told = "; ".join(part for part in (since, stood.circle or "all of its processes waited") if part)
        yield Finding(told, where=stood.where, step=stood.step)
