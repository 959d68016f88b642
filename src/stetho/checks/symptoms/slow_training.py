from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import Pace

EVERY = list(range(0, 400, 10))
# The share of its time that a run may wait for data, the seconds of a step worth waiting for, how many times longer
# than the others a rank may take, and the per cent at which an accelerator is idle.
MOST_WAITING, A_REAL_STEP, SLOW_RANK, IDLE = 0.6, 0.05, 1.5, 3.0
# Shorter steps count where all waits were measured and add up to so many seconds.
SHORT_STEP, LONG_IN_ALL = 0.01, 2.5


@check(
    reads=Pace,
    root="pace",
    severity=20,
    fires={
        "three times as slow at the end": {"steps": EVERY, "seconds": [0.1] * 20 + [0.3] * 20},
        "a throughput that falls": {
            "steps": EVERY, "seconds": [1e-4] * 20 + [3e-4] * 20, "told_by": "tokens/s", "inverse": True,
        },
        "steps wait for data": {
            "steps": EVERY, "seconds": [1.1] * 40, "data_share": 0.9, "data_name": "data_time", "step_seconds": 1.1,
        },
        "short steps whose waits were measured": {
            "steps": [], "seconds": [], "data_share": 0.82, "data_total": 6.9, "step_seconds": 0.042,
        },
        "one rank is slow": {"steps": [], "seconds": [], "slowest_rank": 2, "slowest_times": 4.7},
        "trains beside an idle accelerator": {
            "steps": [], "seconds": [], "device_use": [0.0, 0.0], "device_held": 0.001, "device_left_out": True,
        },
    },
    quiet={
        "steady": {"steps": EVERY, "seconds": [0.1, 0.11] * 20},
        "slow at the start": {"steps": EVERY, "seconds": [3.0, 1.0, 0.5] + [0.1] * 37},
        "one long pause": {"steps": EVERY, "seconds": [0.1] * 20 + [60.0] + [0.1] * 19},
        "validates now and then": {"steps": EVERY, "seconds": ([0.1] * 9 + [2.0]) * 4},
        "few points": {"steps": [0, 10, 20, 30, 40], "seconds": [0.1, 0.1, 0.1, 0.4, 0.4]},
        "a little wait for data": {"steps": EVERY, "seconds": [0.5] * 40, "data_share": 0.2, "step_seconds": 0.5},
        "a short run": {"steps": [], "seconds": [], "data_share": 0.8, "data_total": 1.1, "step_seconds": 0.06},
        "a toy that loads as long as it computes": {
            "steps": EVERY, "seconds": [0.004] * 40, "data_share": 0.7, "step_seconds": 0.004,
        },
        "an accelerator that works": {"steps": [], "seconds": [], "device_use": [97.0], "device_left_out": True},
        "nobody says that the accelerator is left out": {"steps": [], "seconds": [], "device_use": [0.0]},
        "ranks that differ a little": {"steps": [], "seconds": [], "slowest_rank": 1, "slowest_times": 1.2},
    },
)  # fmt: skip
def slow_training(pace: Pace, *, factor: float = 2.0, least: int = 20) -> Iterator[Finding]:
    """The run is far slower than it could be: it slows down, or most of its time goes into waiting.

    ## Why it matters
    Something grows with every step, a part of the machine gives in, or what is paid for does not compute.

    ## False alarms
    Steps that get longer on purpose; a throughput goes before the time of a step, which tells them apart. Pauses for
    validation and checkpoints are left out by the median, and steps of milliseconds are not judged by their waits.
    """
    slower = slows_down(pace, factor, least)
    if slower:
        yield Finding(slower, step=pace.steps[-1])
    elif pace.data_share is not None and pace.data_share >= MOST_WAITING and worth_waiting(pace):
        words = f"{pace.data_name} is {100 * pace.data_share:.0f} % of the time: the run waits for data"
        yield Finding(words, step=pace.steps[-1] if pace.steps else None)
    elif pace.slowest_times is not None and pace.slowest_times >= SLOW_RANK:
        yield Finding(
            f"rank {pace.slowest_rank} takes {pace.slowest_times:.2g} times as long as the others, which wait"
        )
    elif pace.device_left_out and pace.device_use and max(pace.device_use) <= IDLE and (pace.device_held or 0) < 0.05:
        yield Finding(f"{len(pace.device_use)} accelerators are idle, and the run says that it uses none")


def worth_waiting(pace: Pace) -> bool:
    """Whether steps take long enough for their waits to matter."""
    each = pace.step_seconds or 0.0
    return each >= A_REAL_STEP if pace.data_total is None else each >= SHORT_STEP and pace.data_total >= LONG_IN_ALL


def slows_down(pace: Pace, factor: float, least: int) -> str:
    """In words, how much slower steps are at the end than at the beginning; empty when they are not."""
    seconds = pace.seconds[len(pace.seconds) // 10 :]
    if len(seconds) < least:
        return ""
    part = len(seconds) // 4
    early, late = median(seconds[:part]), median(seconds[-part:])
    usual = sorted(seconds[:part])[(9 * part) // 10]
    if not (early > 0 and late > factor * early and late > usual):
        return ""
    if pace.inverse:
        return f"{pace.told_by} falls from {1 / early:.4g} at the beginning to {1 / late:.4g} at the end"
    return f"a step takes {late:.3g} s at the end, {early:.3g} s at the beginning"
