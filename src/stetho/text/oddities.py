"""What stands out in a log: warnings, numbers that broke, silences, new starts, and lines it has hardly elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stetho.facts import LoggedNonfinite, LoggedWarnings, RareLines, RepeatedLine, Restarts, TimeGap
from stetho.reader import Reading
from stetho.series import Series
from stetho.text import words
from stetho.text.assembly import LARGEST, unwrapped
from stetho.text.even import text
from stetho.text.stream import EPOCH, STEP

if TYPE_CHECKING:
    from stetho.text.log import Log

LONGEST = 500
WARNINGS, RARE, MOST_RESTARTS = 12, 6, 20
# A silence counts when it is so many times longer than usual, and so long.
GAP_TIMES, GAP_SECONDS = 20, 60.0


def short(line: bytes) -> str:
    return text(line[: 4 * LONGEST]).strip()[:LONGEST]


def warnings(log: Log) -> Iterator[Reading]:
    if not log.warnings:
        return
    ordered = sorted(log.warnings.values(), key=lambda one: (-one.count, one.line))
    seen = tuple(RepeatedLine(short(one.text), one.line, one.count, one.last) for one in ordered[:WARNINGS])
    count = sum(one.count for one in ordered)
    fact = LoggedWarnings(len(ordered), count, seen)
    yield Reading(
        fact, f"{count} warnings, {len(ordered)} different, most often: {seen[0].text}"[:LONGEST], seen[0].line
    )


def nonfinite(series: list[Series]) -> Iterator[Reading]:
    """The most important of the numbers that the log writes as NaN or infinite: a loss before all others."""
    import numpy as np

    found = []
    for one in series:
        bad = ~np.isfinite(one.values)
        if bad.any() and words.is_measure(one.name.encode()):
            first = int(np.flatnonzero(bad)[0])
            found.append((not words.is_result(one.name.encode()), "loss" not in one.name.lower(), first, one, bad))
    if not found:
        return
    _, _, first, one, bad = min(found, key=lambda item: item[:2])
    finite = one.values[:first][np.isfinite(one.values[:first])]
    fact = LoggedNonfinite(
        one.name,
        int(one.at[first]) if one.at is not None else 0,
        int(one.steps[first]) if one.steps is not None else None,
        float(one.epochs[first]) if one.epochs is not None else None,
        int(bad.sum()),
        float(finite[-1]) if len(finite) else None,
        bool(bad[first:].all()),
    )
    when = f" at step {fact.step}" if fact.step is not None else ""
    yield Reading(fact, f"{one.name} is {one.values[first]}{when}, {fact.count} times", fact.line, one.run)


def gap(log: Log) -> Iterator[Reading]:
    """The longest silence, when it is far longer than usual."""
    import numpy as np

    if not log.clock.rows:
        return
    times = log.clock.rows[0][:, 0]
    good = np.isfinite(times)
    times, numbers = unwrapped(times[good]), log.clock.numbers[0][good]
    if len(times) < 10:
        return
    steps = np.diff(np.maximum.accumulate(times))
    at = int(np.argmax(steps))
    usual, whole = float(np.median(steps)), float(times.max() - times.min())
    if steps[at] < GAP_SECONDS or steps[at] < GAP_TIMES * max(usual, 0.5):
        return
    fact = TimeGap(
        round(float(steps[at]), 3),
        int(numbers[at]),
        int(numbers[at + 1]),
        round(usual, 3),
        bool(at + 1 >= len(steps) - 20),
        round(float(steps[at]) / whole, 4) if whole > 0 else 0.0,
    )
    where = f"between lines {fact.after_line} and {fact.before_line}"
    summary = f"nothing for {fact.seconds:.0f} s {where}; usual is {usual:.3g} s"
    yield Reading(fact, summary, fact.before_line)


def restarts(log: Log) -> Iterator[Reading]:
    """Places where the steps go back, in the stream that counts the run's steps, each after the log has begun anew."""
    import numpy as np

    counting = [s for s in log.streams if s.orders and b"#step" in s.key.names and not s.key.row]
    if not counting or len(log.banners) < 2:
        return
    main = max(counting, key=lambda stream: stream.count)
    # A step that no counter reaches is none.
    real = np.abs(main.rows[0][:, STEP - 5]) < LARGEST
    orders, numbers, rows = main.orders[0][real], main.numbers[0][real], main.rows[0][real]
    steps, epochs = rows[:, STEP - 5], rows[:, EPOCH - 5]
    drops = np.flatnonzero((np.diff(steps) <= 0) & ~(np.diff(epochs) > 0))
    lines: list[int] = []
    before: list[int] = []
    after: list[int] = []
    for at in drops.tolist():
        start, end = orders[at], orders[at + 1]
        if any(start < banner <= end for banner in log.banners) and len(lines) < MOST_RESTARTS:
            lines.append(int(numbers[at + 1]))
            before.append(int(steps[at]))
            after.append(int(steps[at + 1]))
    if lines:
        lost = sum(max(0, a - b + 1) for a, b in zip(before, after, strict=True))
        fact = Restarts(tuple(lines), tuple(before), tuple(after), lost)
        yield Reading(fact, f"begins again {len(lines)} times, {lost} steps were made twice", lines[0])


def rare(log: Log) -> Iterator[Reading]:
    """Lines near the end whose like the log has hardly anywhere else."""
    known = log.shapes.known
    seen: dict[int, RepeatedLine] = {}
    for code, number, line in log.tail:
        shape = known[code]
        if shape.plan.counts or not shape.shown.strip() or shape.section is not None or not shape.speaks:
            continue
        if shape.heads and log.headers.is_one(line):
            continue
        seen[code] = RepeatedLine(short(line), number, int(log.counts[code]), number)
    few = sorted(seen.values(), key=lambda one: (one.count, -one.line))[:RARE]
    if few and log.frames > len(few):
        chosen = tuple(sorted(few, key=lambda one: one.line))
        yield Reading(RareLines(chosen), f"unusual near the end: {chosen[-1].text}"[:LONGEST], chosen[-1].line)
