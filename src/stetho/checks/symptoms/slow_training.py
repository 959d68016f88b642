from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import Pace

EVERY = list(range(0, 400, 10))


@check(
    reads=Pace,
    root="pace",
    severity=20,
    fires={"three times as slow at the end": {"steps": EVERY, "seconds": [0.1] * 20 + [0.3] * 20}},
    quiet={
        "steady": {"steps": EVERY, "seconds": [0.1, 0.11] * 20},
        "slow at the start": {"steps": EVERY, "seconds": [3.0, 1.0, 0.5] + [0.1] * 37},
        "one long pause": {"steps": EVERY, "seconds": [0.1] * 20 + [60.0] + [0.1] * 19},
        "validates now and then": {"steps": EVERY, "seconds": ([0.1] * 9 + [2.0]) * 4},
        "few points": {"steps": [0, 10, 20, 30, 40], "seconds": [0.1, 0.1, 0.1, 0.4, 0.4]},
    },
)
def slow_training(pace: Pace, *, factor: float = 2.0, least: int = 20) -> Iterator[Finding]:
    """Steps take twice as long at the end of the run as at its beginning.

    ## Why it matters
    Something grows with every step, or a part of the machine gives in: storage, a neighbour, a device that throttles.

    ## False alarms
    Sequences that get longer on purpose. Pauses for validation and checkpoints are left out by the median.
    """
    seconds = pace.seconds[len(pace.seconds) // 10 :]
    if len(seconds) < least:
        return
    part = len(seconds) // 4
    early, late = median(seconds[:part]), median(seconds[-part:])
    usual = sorted(seconds[:part])[(9 * part) // 10]
    if early > 0 and late > factor * early and late > usual:
        yield Finding(f"a step takes {late:.3g} s at the end, {early:.3g} s at the beginning", step=pace.steps[-1])
