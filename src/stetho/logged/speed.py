"""How fast a run went: by the clock of its lines, by the times and the throughput that it logged, rank by rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stetho.evidence import Source
from stetho.facts import Pace, RankTime, RankTimes, Statements
from stetho.logged.known import Known
from stetho.logged.times import TimeOf, time_of

if TYPE_CHECKING:
    from stetho.logged.assembly import Curve
    from stetho.series import Floats, Series

ENOUGH = 4000
LEAST = 5
# A metric that is counted from the start of the run only ever grows, and far.
GROWS, FAR = 0.95, 10.0
MOST_RANK_TIMES = 1024


def speed(curves: Sequence[Curve]) -> Iterator[Known]:
    """The pace of the run, and what its steps wait for."""
    timed = [(c, of) for c in curves if len(c) >= LEAST and (of := time_of(c.name)) is not None and each_its_own(c, of)]
    found = by_throughput(timed) or by_step_time(timed) or by_clock(curves)
    clock = by_clock(curves)
    fact, words, source = found if found is not None else (Pace((), ()), "", Source())
    if clock is not None and clock is not found:
        fact = replace(fact, longest_gap=clock[0].longest_gap, gap_after=clock[0].gap_after)
    fact = devices_used(waits_for_data(fact, timed, clock[0] if clock is not None else None), timed, curves)
    if found is None and fact.data_share is None and not fact.device_use:
        return
    parts = [words]
    if fact.data_share is not None:
        parts.append(f"{fact.data_name} is {100 * fact.data_share:.0f} % of the time")
    if fact.device_use:
        parts.append(f"accelerators compute {', '.join(f'{use:.0f} %' for use in fact.device_use[:8])} of the time")
    yield Known(fact, "; ".join(part for part in parts if part), source)


def each_its_own(curve: Curve, of: TimeOf) -> bool:
    """Whether values are of single steps, and not counted from the start of the run."""
    values = curve.values[np.isfinite(curve.values)]
    if len(values) < LEAST or (values < 0).any():
        return False
    if of.part not in ("step", "data", "peer", "compute"):
        return True
    return not (np.mean(np.diff(values) > 0) > GROWS and values[-1] > FAR * max(float(values[0]), 1e-9))


def finite(curve: Curve) -> tuple[Floats, Floats]:
    """Steps and values without what is not a number or zero."""
    good = np.isfinite(curve.values) & (curve.values > 0)
    return curve.steps[good].astype(np.float64), curve.values[good]


def thinned(steps: Floats, seconds: Floats) -> tuple[tuple[int, ...], tuple[float, ...]]:
    stride = max(1, len(seconds) // ENOUGH)
    return tuple(int(s) for s in steps[::stride]), tuple(float(v) for v in seconds[::stride])


def by_throughput(timed: Sequence[tuple[Curve, TimeOf]]) -> tuple[Pace, str, Source] | None:
    """Samples or tokens in a second: longer sequences that are meant do not slow it down."""
    rates = [c for c, of in timed if of.part == "rate" and c.role.split != "validation"]
    if not rates:
        return None
    best = max(rates, key=len)
    steps, values = finite(best)
    if len(values) < LEAST:
        return None
    every, seconds = thinned(steps, 1 / values)
    words = f"{best.name}: {values[0]:.4g} first, {values[-1]:.4g} last"
    return Pace(every, seconds, told_by=best.name, inverse=True), words, best.source


def by_step_time(timed: Sequence[tuple[Curve, TimeOf]]) -> tuple[Pace, str, Source] | None:
    steps_of = [(c, of) for c, of in timed if of.part == "step"]
    if not steps_of:
        return None
    best, of = max(steps_of, key=lambda one: len(one[0]))
    steps, values = finite(best)
    if len(values) < LEAST:
        return None
    every, seconds = thinned(steps, values * of.unit)
    words = f"{best.name}: a step takes {float(np.median(values)) * of.unit:.3g} s"
    return Pace(every, seconds, told_by=best.name), words, best.source


def by_clock(curves: Sequence[Curve]) -> tuple[Pace, str, Source] | None:
    """Seconds per step by the times of the lines."""
    clocked = [c for c in curves if c.placed.series.times is not None and not c.placed.counted and len(c) >= LEAST]
    if not clocked:
        return None
    best = max(clocked, key=len)
    times = best.placed.series.times
    assert times is not None
    took, made = np.diff(times), np.diff(best.steps)
    usable = (made > 0) & (took >= 0)
    if usable.sum() < LEAST - 1:
        return None
    ends, each = best.steps[1:][usable], took[usable] / made[usable]
    gap = int(np.argmax(took))
    every, seconds = thinned(ends.astype(np.float64), each)
    fact = Pace(every, seconds, longest_gap=float(took[gap]), gap_after=int(best.steps[gap]))
    words = f"a step takes {float(np.median(each)):.3g} s; the longest time without a line is {took[gap]:.3g} s"
    return fact, words, best.source


def waits_for_data(pace: Pace, timed: Sequence[tuple[Curve, TimeOf]], clock: Pace | None) -> Pace:
    """The pace with the share of the time that steps waited for data, by times of the same lines, or by the clock."""
    waiting = [(c, of) for c, of in timed if of.part == "data" and c.role.split != "validation"]
    if not waiting:
        return pace
    data, of = max(waiting, key=lambda one: len(one[0]))
    beside = [(c, other) for c, other in timed if other.part == "step" and len(c) == len(data)]
    waits = np.nan_to_num(data.values) * of.unit
    if beside:
        step, other = beside[0]
        whole = np.nan_to_num(step.values) * other.unit
    elif data.name.lower() != "data" and clock is not None and len(waits) - 1 <= len(clock.seconds) <= len(waits):
        whole = np.array(clock.seconds)
        waits = waits[len(waits) - len(whole) :]
    else:
        return pace
    total = float(whole.sum())
    # A wait that is longer than the step it is a part of is something else.
    if total <= 0 or float(waits.sum()) > 1.05 * total:
        return pace
    return replace(
        pace, data_share=float(waits.sum()) / total, data_name=data.name, data_longest=float(waits.max()),
        step_seconds=float(np.median(whole)),
    )  # fmt: skip


def devices_used(pace: Pace, timed: Sequence[tuple[Curve, TimeOf]], curves: Sequence[Curve]) -> Pace:
    """The pace with how much each accelerator computed, as far as somebody saved it."""
    uses = [(c.name, float(np.nanmedian(c.values))) for c, of in timed if of.part == "use"]
    if not uses:
        return pace
    named = {c.name: c.values for c in curves}
    shares = []
    for name, values in named.items():
        total = named.get(name.replace("memory.used", "memory.total")) if name.endswith("memory.used") else None
        if total is not None and len(total) and len(values):
            shares.append(float(np.nanmax(values)) / max(1.0, float(np.nanmax(total))))
    use = tuple(value for _, value in sorted(uses)[:64])
    return replace(pace, device_use=use, device_held=max(shares) if shares else None)


def rank_times(apart: Sequence[tuple[int, Series]]) -> Iterator[Known]:
    """How long the parts of a step take on each rank."""
    found: dict[tuple[str, int], tuple[TimeOf, Series]] = {}
    for rank, one in apart:
        of = time_of(one.name)
        if of is not None and of.part in ("step", "data", "peer", "compute") and len(one) >= LEAST:
            found.setdefault((one.name, rank), (of, one))
    times = [
        RankTime(rank, name, of.part, float(np.nanmedian(one.values)) * of.unit, len(one))
        for (name, rank), (of, one) in sorted(found.items())
        if np.isfinite(one.values).any()
    ]
    if len({one.rank for one in times}) > 1:
        words = ", ".join(f"rank {one.rank} {one.name} {one.seconds:.3g} s" for one in times[:6])
        yield Known(RankTimes(tuple(times[:MOST_RANK_TIMES])), words, Source(file=apart[0][1].file))


def with_words(known: Sequence[Known], said: Iterable[Statements]) -> list[Known]:
    """What is known, the pace with what the logs say of the accelerators."""
    left_out = any(one.of("device-not-used") for one in said)
    return [
        replace(one, fact=replace(one.fact, device_left_out=True)) if left_out and isinstance(one.fact, Pace) else one
        for one in known
    ]


def with_slowest_rank(known: Sequence[Known]) -> list[Known]:
    """What is known, the pace with the rank that all others wait for."""
    times = next((one.fact for one in known if isinstance(one.fact, RankTimes)), None)
    worst = times.slowest() if times is not None else None
    if worst is None:
        return list(known)
    rank, factor, _ = worst
    paces = [one for one in known if isinstance(one.fact, Pace)] or [Known(Pace((), ()), "", Source())]
    fact = paces[0].fact
    assert isinstance(fact, Pace)
    words = f"rank {rank.rank} takes {rank.seconds:.3g} s for {rank.name}, {factor:.2g} times the others"
    told = replace(fact, slowest_rank=rank.rank, slowest_times=factor)
    rest = [one for one in known if not isinstance(one.fact, Pace)]
    return [*rest, Known(told, "; ".join(part for part in (paces[0].words, words) if part), paces[0].source)]
