"""Where a run stood at its end: the collective calls that ranks waited in, and what its saved stacks show."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

import numpy as np

from stetho.evidence import Place
from stetho.facts import Collective, Collectives, Fact, RankCall, RankCalls, SavedStack, SavedStacks, Standstill
from stetho.logged.ending import Told
from stetho.logged.known import Known
from stetho.series import Series
from stetho.text.calls import plain

MOST_CALLS = 200
# Innermost functions of a thread that waits for a lock which somebody else holds.
LOCK = re.compile(r"^_?_?(?:acquire\w*|wait_for_tstate_lock|lock|_acquireLock|__enter__)$")
LOCKING = re.compile(
    r"(?:^|/)(?:threading|logging/__init__|multiprocessing/synchronize|_bootstrap)\.py$|<frozen importlib"
)
# Functions in which a trainer waits for what another process has to hand over.
HANDED = re.compile(r"_try_get_data|_get_data|_next_data|get|join|recv|poll|result|wait")
LIBRARY = re.compile(
    r"site-packages|dist-packages|/lib/python3|^<|^torch/|(?:^|/)(?:threading|queue|selectors|logging/__init__|multiprocessing/\w+|concurrent/\S+)\.py$"
)


def standing(told: Sequence[Told], series: Iterable[Series]) -> Iterator[Known]:
    """The calls that ranks waited in, and how the run stood when somebody looked at it."""
    calls = list(open_calls(told))[:MOST_CALLS]
    dumps = [one for one in told if isinstance(one.reading.fact, Collectives)]
    parts = [one for one in told if isinstance(one.reading.fact, Collectives | RankCalls)]
    if len({call.rank for call in calls}) > 1 and (dumps or len(parts) > 1):
        words = ", ".join(f"rank {one.rank} in {one.name} number {one.sequence}" for one in calls[:4])
        yield Known(RankCalls(tuple(calls)), f"ranks that waited: {words}", parts[-1].source)
    apart = differing(calls) if dumps else ()
    saved = [one for one in told if isinstance(one.reading.fact, SavedStacks)]
    if not apart and not saved:
        return
    fact, words = stood(apart, [one.reading.fact for one in saved], list(series))
    yield Known(fact, words, (saved or dumps)[-1].source)


def alone(fact: Fact) -> bool:
    """Whether a fact is of one rank only, which can be compared with no other; all together are another fact."""
    return isinstance(fact, RankCalls) and len({call.rank for call in fact.calls}) < 2


def open_calls(told: Iterable[Told]) -> Iterator[RankCall]:
    """The calls that did not end, of all flight recorders and all watchdogs."""
    for one in told:
        fact = one.reading.fact
        if isinstance(fact, RankCalls):
            yield from fact.calls
        elif isinstance(fact, Collectives) and fact.rank is not None:
            for call in fact.open:
                if not call.p2p and call.sequence is not None:
                    yield of_recorder(call, str(fact.rank), one.artifact.name)


def of_recorder(call: Collective, rank: str, file: str) -> RankCall:
    elements = sum(int(np.prod(size, dtype=np.float64)) for size in call.sizes) if call.sizes else None
    return RankCall(rank, call.group, call.sequence, plain(call.name), elements, call.where, file)


def differing(calls: Iterable[RankCall]) -> tuple[RankCall, RankCall] | tuple[()]:
    """Two ranks that made different calls under one number of one group; the rarer call comes second."""
    groups: dict[tuple[str, int | None], dict[str, RankCall]] = defaultdict(dict)
    for call in calls:
        groups[call.group, call.sequence].setdefault(call.rank, call)
    for ranks in groups.values():
        names: dict[str, list[RankCall]] = defaultdict(list)
        for call in ranks.values():
            names[call.name].append(call)
        if len(names) > 1:
            ordered = sorted(names.values(), key=len, reverse=True)
            return ordered[0][0], ordered[-1][0]
    return ()


def stood(
    apart: tuple[RankCall, RankCall] | tuple[()], dumps: Sequence[Fact], series: Sequence[Series]
) -> tuple[Standstill, str]:
    stacks = [stack for dump in dumps if isinstance(dump, SavedStacks) for stack in dump.stacks]
    taken = max((d.taken for d in dumps if isinstance(d, SavedStacks) and d.taken is not None), default=None)
    mains = main_threads(stacks)
    silent, usual, step = quiet_before(taken, series)
    circle = waits_in_a_circle(mains)
    places = [own_line(stack) for stack in mains] + [call.where for call in apart]
    fact = Standstill(
        idle=sum(one.idle is True for one in mains), active=sum(one.idle is False for one in mains),
        silent=silent, usual=usual, circle=circle, apart=" and ".join(f"rank {c.rank} in {c.name}" for c in apart),
        step=step, where=tuple(place for place in places if place is not None)[:8],
    )  # fmt: skip
    parts = [f"{fact.idle} of {len(mains)} processes waited" if mains else ""]
    parts += [f"nothing was logged for {silent:.0f} s before" if silent is not None else "", circle, fact.apart]
    return fact, "; ".join(part for part in parts if part)


def main_threads(stacks: Sequence[SavedStack]) -> list[SavedStack]:
    """The main thread of each process: by its name, else the first one."""
    found: dict[int, SavedStack] = {}
    for one in stacks:
        if one.pid not in found or (one.name == "MainThread" and found[one.pid].name != "MainThread"):
            found[one.pid] = one
    return list(found.values())


def quiet_before(taken: float | None, series: Sequence[Series]) -> tuple[float | None, float | None, int | None]:
    """Seconds from the last point to a look, the usual seconds between points, and the last step."""
    timed = [one for one in series if one.times is not None and len(one) > 2 and float(one.times[-1]) > 1e9]
    if taken is None or not timed:
        return None, None, None
    last = max(timed, key=lambda one: float(one.times[-1]) if one.times is not None else 0.0)
    assert last.times is not None
    silent, gaps = taken - float(last.times[-1]), np.diff(last.times)
    step = int(last.steps[-1]) if last.steps is not None else None
    return (silent if silent >= 0 else None), float(median(gaps.tolist())), step


def waits_in_a_circle(mains: Sequence[SavedStack]) -> str:
    """A process that waits for what another one hands over, which itself waits for a lock."""
    locked = [one for one in mains if one.idle is not False and at_a_lock(one)]
    waiting = [one for one in mains if one.idle is not False and one not in locked and one.frames]
    waiting = [one for one in waiting if any(HANDED.fullmatch(frame.function) for frame in one.frames[:6])]
    if not locked or not waiting:
        return ""
    first, second = waiting[0], locked[0]
    there = f"pid {second.pid} waits for a lock in {in_words(second)}"
    return f"pid {first.pid} waits in {in_words(first)}; {there}"


def at_a_lock(one: SavedStack) -> bool:
    inner = one.frames[:2]
    return any(LOCK.match(frame.function) and LOCKING.search(frame.file) for frame in inner)


def in_words(one: SavedStack) -> str:
    """Where a thread waits, and the line of the user's that led there."""
    inner, own = one.frames[0], next((frame for frame in one.frames if not LIBRARY.search(frame.file)), None)
    led = f", called from {own.function} ({own.file}:{own.line})" if own is not None and own is not inner else ""
    return f"{inner.function} ({inner.file}:{inner.line}){led}"


def own_line(one: SavedStack) -> Place | None:
    own = next((frame for frame in one.frames if not LIBRARY.search(frame.file)), None)
    return Place(own.file, own.line) if own is not None else None
