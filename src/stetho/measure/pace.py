"""What holds a run up, of all that its steps and its ranks show: waiting for data, or for one rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stetho.facts import Fact, Pace, RankWaiting, StepTimes
from stetho.measure.series import Measured

# The share of steps in which a rank must come last to be the one that all wait for.
MOSTLY = 0.9


def pace(found: Sequence[Measured]) -> Iterator[Measured]:
    """The share of the time that steps wait for a loader, and how much longer than the others one rank takes."""
    times, waiting = _one(found, StepTimes), _one(found, RankWaiting)
    if not isinstance(times, StepTimes) or not times.total or (times.wait_total is None and waiting is None):
        return
    rank, factor = late(times, waiting) if isinstance(waiting, RankWaiting) else (None, None)
    share = None if times.wait_total is None else times.wait_total / times.total
    fact = Pace(
        (), (),
        data_share=share,
        data_name="the wait for the loader",
        data_total=times.wait_total,
        step_seconds=times.median,
        slowest_rank=rank,
        slowest_times=factor,
    )  # fmt: skip
    told = "" if share is None else f"{100 * share:.0f} % of the time is spent waiting for a loader"
    behind = "" if factor is None else f"rank {rank} takes {factor:.2g} times as long as the others"
    if told or behind:
        yield fact, "; ".join(part for part in (told, behind) if part)


def late(times: StepTimes, waiting: RankWaiting) -> tuple[int | None, float | None]:
    """The rank that nearly always comes last, and how many times longer than the others it takes."""
    last = max(waiting.arrivals, key=lambda one: one.last, default=None)
    if last is None or last.last < MOSTLY * waiting.steps or waiting.steps < 10 or not waiting.meet:
        return None, None
    own = times.median - waiting.spread_median
    return last.rank, times.median / max(own, 0.05 * times.median)


def _one(found: Sequence[Measured], kind: type[Fact]) -> Fact | None:
    return next((fact for fact, _ in found if isinstance(fact, kind)), None)
