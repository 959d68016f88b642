"""What a loader delivers alone beside what the whole run takes: whether a training waits for its data."""

from __future__ import annotations

from stetho.inquiry import Facts
from stetho.outcome import Judged
from stetho.recording import Recording
from stetho.yardstick import pace

# A loader that is this many times faster than the run has time to spare; one that is hardly faster bounds it.
TO_SPARE, HARDLY = 2.0, 1.25
# Fewer batches than this, or what the workers had ready when the clock was started, tell no rate.
LEAST_BATCHES = 20


def judge_loading(base: Facts, changed: Recording) -> Judged | None:
    """The outcome of a run whose loader was read alone; None where it was not.

    "same" says that the loader keeps up with the run, "worse" that it is hardly faster: loading bounds the run.
    """
    drained = changed.of("drained")
    if not drained:
        return None
    batches, rate = int(drained[-1]["batches"]), float(drained[-1]["rate"])
    found = pace(base)
    if found is None:
        return Judged(
            "undecided", f"the loader alone delivers {told(rate)} batches/s; too few steps to tell the run's speed"
        )
    if batches < LEAST_BATCHES:
        return Judged("undecided", f"only {batches} batches were loaded")
    each = float(drained[-1].get("each", 1.0))
    taken = found[0] * each
    run = f"the run takes {told(found[0])} steps/s" + (f" of {each:.3g} batches" if each != 1 else "")
    alone = f"the loader alone delivers {told(rate)} batches/s"
    if rate < HARDLY * taken:
        return Judged("worse", f"{alone}, {run}: it waits for its data", taken, rate, "pace")
    words = (
        "loading is not what it waits for" if rate > TO_SPARE * taken else "the loader keeps up, with little to spare"
    )
    return Judged("same", f"{alone}, {run}: {words}", taken, rate, "pace")


def told(rate: float) -> str:
    """Three digits, and no powers of ten."""
    return f"{rate:.3g}" if rate < 1000 else f"{rate:.0f}"
