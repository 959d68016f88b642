"""Which artifacts of a run another one outlived, and what of the kernel's log is about this run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from stetho import kernel_log
from stetho.facts import Crash, KernelEvent, KernelLog, RunEnd, Statement, Statements, Whereabouts
from stetho.logged.ending import Told
from stetho.series import Series

if TYPE_CHECKING:
    from stetho.logged.walk import Left

TRAINS = re.compile(r"^(?:python|pypy|pt_|ray::|torchrun|accelerate|deepspeed|jax|julia)")
# What a kernel says of one process.
OF_A_PROCESS = ("oom-kill", "segfault", "blocked")
# By which phrases a log says it.
SPEAKS_OF = {
    "oom-kill": ("oom-kill",), "segfault": ("segfault",), "gpu-fault": ("xid", "ecc", "gpu-reset"),
    "storage-not-responding": ("nfs-stalled", "nfs-back", "blocked"), "storage-error": ("io-error", "read-only"),
}  # fmt: skip
KERNEL = "kernel-messages"
# Seconds between a kernel's clock and a program's, and between a kill and the last line before it.
BEFORE, AFTER = 900.0, 3600.0


@dataclass(frozen=True)
class Span:
    """The steps and the times that one artifact tells of."""

    first: int
    last: int
    begun: float | None
    ended: float | None
    points: int


def span_of(left: Left) -> Span | None:
    """What an artifact's series cover; None where they have no steps."""
    series = [p for p in left.pieces if isinstance(p, Series) and p.steps is not None and len(p)]
    if not series:
        return None
    longest = max(series, key=len)
    assert longest.steps is not None
    times = longest.times if longest.times is not None and float(longest.times[-1]) > 1e9 else None
    begun, ended = (None, None) if times is None else (float(times[0]), float(times[-1]))
    return Span(int(longest.steps.min()), int(longest.steps.max()), begun, ended, len(longest))


def continued_by(parts: Sequence[Left]) -> dict[int, int]:
    """For each artifact by its place, the points that later parts of the same run logged after it."""
    spans = [span_of(one) for one in parts]
    found: dict[int, int] = {}
    for number, mine in enumerate(spans):
        later = [
            other for place, other in enumerate(spans)
            if mine is not None and other is not None and place != number
            and parts[place].reader == parts[number].reader and goes_on(mine, other)
        ]  # fmt: skip
        found[number] = sum(one.points for one in later)
    return found


def goes_on(one: Span, other: Span) -> bool:
    """Whether a second artifact goes on where the first one ended."""
    if one.ended is not None and other.begun is not None and other.begun < one.ended:
        return False
    return other.last > one.last and other.first > one.first + (one.last - one.first) // 2


def outlived_parts(left: Sequence[Left], told: Sequence[Told]) -> list[Told]:
    """The readings, those of an earlier part followed by as many lines as the later parts have."""
    after = {id(left[place].artifact): points for place, points in continued_by(left).items() if points}
    found = []
    for one in told:
        more, fact = after.get(id(one.artifact), 0), one.reading.fact
        if more and isinstance(fact, RunEnd):
            continue
        if more and isinstance(fact, Statements):
            fact = Statements(tuple(replace(s, lines_after=s.lines_after + more) for s in fact.said))
        elif more and isinstance(fact, Crash):
            fact = replace(fact, lines_after=fact.lines_after + more)
        found.append(one if fact is one.reading.fact else replace(one, reading=replace(one.reading, fact=fact)))
    return found


def about_this_run(left: Sequence[Left], told: Sequence[Told]) -> list[Told]:
    """The readings without what a kernel says of other programs, or of another time."""
    told = without_others(left, told)
    kernels = {id(one.artifact) for one in left if one.reader == KERNEL}
    if not kernels:
        return list(told)
    own = [one.reading.fact for one in told if id(one.artifact) not in kernels]
    family = tuple(pid for fact in own if isinstance(fact, Whereabouts) for pid in fact.pids)
    well = any(isinstance(fact, RunEnd) and fact.code == 0 for fact in own)
    spans = [span for one in left if (span := span_of(one)) is not None and span.ended is not None]
    begun = min((span.begun for span in spans if span.begun is not None), default=None)
    ended = max((span.ended for span in spans if span.ended is not None), default=None)
    ours: dict[int, tuple[KernelLog, frozenset[str]]] = {}
    for one in told:
        if isinstance(one.reading.fact, KernelLog) and id(one.artifact) in kernels:
            log = one.reading.fact
            kept = [event for event in log.events if concerns(event, family, well, begun, ended)]
            mine = replace(log, events=tuple(kept), family=family_of(kept, family, well))
            ours[id(one.artifact)] = mine, foreign(log.events, kept)
    return [left_of for one in told if (left_of := filtered(one, ours.get(id(one.artifact)))) is not None]


def without_others(left: Sequence[Left], told: Sequence[Told]) -> list[Told]:
    """The readings without what any text, as a few lines of a system's log, says in a kernel's words of others.

    Where the run said that it ended well, a text that has nothing of the run is not about its end.
    """
    logs = {id(one.artifact) for one in left if any(isinstance(piece, Series) for piece in one.pieces)}
    well = any(id(t.artifact) in logs and isinstance(t.reading.fact, RunEnd) and t.reading.fact.code == 0 for t in told)
    dropped: set[tuple[int, int | None]] = set()
    found = []
    for one in told:
        fact = one.reading.fact
        if isinstance(fact, Statements):
            beside = well and id(one.artifact) not in logs
            others = [said for said in fact.said if of_another(said, beside=beside)]
            dropped |= {(id(one.artifact), line) for said in others for line in (said.line, said.last_line)}
            if others:
                kept = Statements(tuple(said for said in fact.said if said not in others))
                one = replace(one, reading=replace(one.reading, fact=kept))
        found.append(one)
    return [
        one for one in found
        if not isinstance(one.reading.fact, RunEnd) or (id(one.artifact), one.reading.line) not in dropped
    ]  # fmt: skip


def of_another(said: Statement, *, beside: bool) -> bool:
    """Whether a kernel's words name another program, or stand beside a run that ended well."""
    if said.phrase not in SPEAKS_OF:
        return False
    events = list(kernel_log.events([said.text, said.last_text or said.text]))
    named = [event.process for event in events if event.kind in OF_A_PROCESS and event.process]
    return bool(events) and (beside or (bool(named) and not any(TRAINS.match(name) for name in named)))


def foreign(events: Sequence[KernelEvent], kept: Sequence[KernelEvent]) -> frozenset[str]:
    """Phrases that only speak of what is not of the run."""
    there, left = {event.kind for event in events}, {event.kind for event in kept}
    return frozenset(p for p, kinds in SPEAKS_OF.items() if there.intersection(kinds) and not left.intersection(kinds))


def concerns(event: KernelEvent, family: tuple[int, ...], well: bool, begun: float | None, ended: float | None) -> bool:
    """Whether an event can be about the run: its process, its time, and a run that did not end well."""
    if event.pid is not None and event.pid in family:
        return True
    when = time_of(event, ended)
    if when is not None and begun is not None and ended is not None and not begun - BEFORE <= when <= ended + AFTER:
        return False
    if event.kind in OF_A_PROCESS and not TRAINS.match(event.process):
        return False
    return not well


def time_of(event: KernelEvent, near: float | None) -> float | None:
    """When an event was, in seconds since 1970; a time without a year is taken from the year of the run."""
    if not event.when:
        return None
    forms = ("%a %b %d %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")
    for form in forms:
        try:
            return datetime.strptime(event.when[:24 if form.startswith("%a") else 19], form).replace(
                tzinfo=timezone.utc
            ).timestamp()  # fmt: skip
        except ValueError:
            continue
    if near is None:
        return None
    try:
        year = datetime.fromtimestamp(near, timezone.utc).year
        return datetime.strptime(f"{year} {event.when}", "%Y %b %d %H:%M:%S").replace(tzinfo=timezone.utc).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def family_of(kept: Sequence[KernelEvent], family: tuple[int, ...], well: bool) -> tuple[int, ...]:
    """The run's processes; where its log names none and it did not end well, the trainer that the kernel speaks of."""
    if family or well:
        return family
    return tuple(dict.fromkeys(e.pid for e in kept if e.kind in OF_A_PROCESS and e.pid is not None))


def filtered(told: Told, about: tuple[KernelLog, frozenset[str]] | None) -> Told | None:
    """A reading of a kernel's log without what is not of the run; None when nothing is left of it."""
    if about is None:
        return told
    log, others = about
    fact = told.reading.fact
    if isinstance(fact, KernelLog):
        return replace(told, reading=replace(told.reading, fact=log))
    if isinstance(fact, RunEnd):
        return None if others.intersection(("oom-kill", "segfault")) else told
    if isinstance(fact, Statements):
        said = tuple(one for one in fact.said if one.phrase not in others)
        return replace(told, reading=replace(told.reading, fact=Statements(said)))
    return told
