from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import Standstill

# Seconds without any processor time.
IDLE = 3.0
QUIET = {"idle": 2, "silent": 10_800.0, "usual": 1.4}


@check(
    reads=Standstill,
    root="stacks that were saved",
    background=0.02,
    given={"env/hang": 0.9, "dist/collective-mismatch": 0.1, "none/healthy": 0.01, "other/unlisted": 0.02},
    fires={
        "silent for hours": QUIET,
        "watched from outside": {"idle": 1, "silent": 31.0, "usual": 0.01, "watched": 10.0, "waits_in": "acquire"},
        "a worker that waits for a lock": {"idle": 2, "circle": "pid 1 waits in get; pid 2 waits for a lock"},
    },
    quiet={
        "one of them computes": {**QUIET, "active": 1},
        "it had just logged": {**QUIET, "silent": 3.0},
        "nobody looked at its threads": {"apart": "rank 0 in allreduce and rank 1 in allgather"},
    },
)
def stood_still(stood: Standstill, *, longest: float = 300.0, times: float = 20.0) -> Iterator[Finding]:
    """A saved look at the run's threads shows that all of them wait, or that they wait in a circle.

    ## Why it matters
    The stacks say who waits for whom, which no log can.

    ## False alarms
    One look cannot tell a long wait from an endless one; the time since the last line of the log does.
    """
    # Who was watched and used no processor at all has stopped, however short the time.
    apart = (stood.silent or 0.0) > times * (stood.usual or 0.0)
    watched = apart and stood.watched is not None and stood.watched >= IDLE
    long = watched or (stood.silent is not None and stood.silent > max(longest, times * (stood.usual or 0.0)))
    if stood.circle:
        yield Finding(stood.circle, where=stood.where, step=stood.step)
    elif long and stood.idle and not stood.active:
        inside = f" in {stood.waits_in}" if stood.waits_in else ""
        words = f"all {stood.idle} processes waited, {duration(stood.silent or 0)} after the last line of the log"
        if watched:
            words = f"it stood still{inside} for {duration(stood.silent or 0)}: no step, and no processor time used"
        yield Finding(words, where=stood.where, step=stood.step)
