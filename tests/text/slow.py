"""A log read slowly and obviously: one line after the other, each understood for itself, nothing at once."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from stetho.phrase import Phrase
from stetho.text import thinning, words
from stetho.text.assembly import LARGEST
from stetho.text.even import ANSI, LONGEST, even, plain
from stetho.text.numerals import number
from stetho.text.shapes import Shape, Vocabulary, understand
from stetho.text.stamps import DAY, seconds
from stetho.text.tracebacks import Tracebacks

NAN = float("nan")


@dataclass
class Point:
    order: int
    line: int
    value: float
    step: float
    epoch: float
    time: float


@dataclass
class Line:
    order: int
    number: int
    raw: bytes
    shape: Shape
    table: int


@dataclass
class Slow:
    series: dict[tuple[str, str], list[Point]] = field(default_factory=dict)
    said: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    """By phrase: its first line, its last line, how many, lines of output after the last one."""
    warnings: dict[bytes, int] = field(default_factory=dict)
    raised: list[tuple[str, int, str, int]] = field(default_factory=list)
    lines: int = 0


def shown(line: bytes) -> bytes:
    evened = even(line.replace(b"\x00", b"\x02").replace(b"\x01", b"\x02"))[:LONGEST]
    return even(ANSI.sub(b"", evened))


def cut(data: bytes) -> list[tuple[int, bytes]]:
    """Lines and frames with the number of the line."""
    found = []
    for at, line in enumerate(data.replace(b"\r\n", b"\n").split(b"\n"), 1):
        found += [(at, frame) for frame in line.split(b"\r")]
    if found and not found[-1][1]:
        found.pop()
    return found


def read(data: bytes, phrases: Sequence[Phrase]) -> Slow:
    slow, streams = Slow(), {}
    vocabulary = Vocabulary(phrases)
    section, table, spoken = b"", 0, 0
    tracebacks = Tracebacks()
    heard: dict[str, int] = {}
    at_exception: dict[int, int] = {}
    for order, (line, raw) in enumerate(cut(data)):
        slow.lines = line
        shape = understand(shown(raw), vocabulary)
        if not tracebacks.feed(raw, line, order) and shape.speaks:
            spoken += 1
        at_exception.update(dict.fromkeys(tracebacks.named, spoken))
        tracebacks.named.clear()
        if shape.section is not None:
            section, table = shape.section, table + (shape.section == b"")
        for phrase in shape.phrases:
            first, _, count, _ = slow.said.get(phrase, (line, 0, 0, 0))
            slow.said[phrase], heard[phrase] = (first, line, count + 1, 0), spoken
        if shape.warns:
            slow.warnings[shape.shown] = slow.warnings.get(shape.shown, 0) + 1
        if shape.plan.counts:
            streams.setdefault(_key(shape, raw, section), []).append(Line(order, line, raw, shape, table))
    for phrase, (first, last, count, _) in slow.said.items():
        slow.said[phrase] = (first, last, count, spoken - heard[phrase])
    slow.raised = [(str(one), one.line, one.run, spoken - at_exception[one.order]) for one in tracebacks.found()]
    limits = {key: thinning.limit(number, bool(key[0] or key[4])) for number, key in enumerate(streams)}
    _assemble(slow, {key: _thinned(lines, limits[key]) for key, lines in streams.items()})
    return slow


def _key(shape: Shape, raw: bytes, section: bytes) -> tuple[object, ...]:
    plan = shape.plan
    run = shape.extraction.speaker(raw) if plan.speaker is not None and shape.extraction is not None else ""
    said = tuple((m.prefix, m.name, m.nonfinite is not None) for m in plan.metrics)
    step = None if plan.step is None else "pair" if plan.paired else "step"
    return run, said, step, plan.epoch is not None, section if plan.row and not run else b"", plan.row


def _thinned(lines: list[Line], most: int) -> list[Line]:
    part = thinning.share(len(lines), most)
    high = _extremes(lines, part) if part > 1 else set()
    return [line for at, line in enumerate(lines) if thinning.is_kept(at, part) or at == len(lines) - 1 or at in high]


def _extremes(lines: list[Line], part: int) -> set[int]:
    """The highest and lowest value of each telling metric in each stretch, the first of several."""
    metrics = lines[0].shape.plan.metrics
    names = [m.prefix + b"/" + m.name if m.prefix else m.name for m in metrics] if not lines[0].shape.plan.row else []
    found, size = set(), thinning.STRETCH * part
    for begin in range(0, len(lines), size):
        rows = [(at, _numbers(lines[at])["values"]) for at in range(begin, min(begin + size, len(lines)))]
        for column in thinning.telling(names):
            known = [(at, row[column]) for at, row in rows if math.isfinite(row[column])]
            if known:
                found |= {max(known, key=lambda one: one[1])[0], min(known, key=lambda one: one[1])[0]}
    return found


def _assemble(slow: Slow, streams: dict[tuple[object, ...], list[Line]]) -> None:
    ranks = {key[0] for key in streams if key[0]}
    for only in {"", *ranks}:
        own = {key: lines for key, lines in streams.items() if key[0] == only}
        steps, epochs, tables = {}, {}, {}
        for key, lines in own.items():
            for line in lines:
                read = _numbers(line)
                if not key[5] and _fine(read["epoch"]):
                    epochs[line.order] = read["epoch"]
                if not key[5] and key[2] == "step" and _fine(read["step"]):
                    steps[line.order] = read["step"]
                if key[5] and key[2] == "step" and b"iterations" not in [name for _, name, _ in key[1]]:
                    tables[line.table] = read["step"]
        for key, lines in own.items():
            for line in lines:
                _point(slow, str(only) if len(ranks) > 1 else "", key, line, steps, epochs, tables)
    for name, points in list(slow.series.items()):
        points.sort(key=lambda point: point.order)
        one = points[0]
        if (
            len(points) == 1
            and math.isnan(one.step)
            and math.isnan(one.epoch)
            and not words.is_result(name[1].encode())
        ):
            del slow.series[name]


def _point(slow: Slow, run: str, key: tuple, line: Line, steps: dict, epochs: dict, tables: dict) -> None:
    read, plan = _numbers(line), line.shape.plan
    step, epoch = read["step"], read["epoch"]
    if plan.row:
        step = tables.get(line.table, NAN)
    elif plan.step is None and plan.epoch is None:
        step = _before(steps, line.order)
    if plan.epoch is None:
        epoch = _before(epochs, line.order)
    for at, metric in enumerate(plan.metrics):
        name = read["names"][at]
        if plan.row:
            name = key[4].decode("utf-8", "backslashreplace") + name
            if name.rsplit("/", 1)[-1].lower().encode() in words.STEPS:
                continue
        value = read["values"][at]
        if metric.nonfinite is None and math.isnan(value):
            continue
        slow.series.setdefault((run, name), []).append(Point(line.order, line.number, value, step, epoch, read["time"]))


def _before(said: dict[int, float], order: int) -> float:
    earlier = [at for at in said if at <= order]
    return said[max(earlier)] if earlier else NAN


def _fine(value: float) -> bool:
    return math.isfinite(value) and abs(value) < LARGEST


def _numbers(line: Line) -> dict:
    """What a line says, by a pattern made of its evened text."""
    shape, raw = line.shape, plain(line.raw)
    plan = shape.plan

    def piece(span: tuple[int, int] | None) -> bytes | None:
        if span is None:
            return None
        before, inside = _pattern(shape.shown[: span[0]]), _pattern(shape.shown[span[0] : span[1]])
        found = re.match(before + b"(" + inside + b")", raw, re.DOTALL)
        return found[1] if found is not None else None

    def value(span: tuple[int, int] | None) -> float:
        text = piece(span)
        return NAN if text is None else number(text)

    values, names = [], []
    for metric in plan.metrics:
        if metric.nonfinite is not None:
            values.append(metric.nonfinite)
        elif metric.divisor is not None:
            below = value(metric.divisor)
            values.append(value(metric.value) / below if below else NAN)
        else:
            values.append(value(metric.value) * metric.scale)
        name = piece(metric.key) or metric.name
        names.append((metric.prefix + b"/" + name if metric.prefix else name).decode("utf-8", "backslashreplace"))
    stamp = piece(plan.stamp)
    time = seconds(stamp) if stamp is not None else None
    return {
        "values": values, "names": names, "step": value(plan.step), "epoch": value(plan.epoch),
        "time": NAN if time is None else time,
    }  # fmt: skip


def _pattern(shown: bytes) -> bytes:
    pieces = {b"0": b"[0-9]+", b" ": b"[ \t]+", b"\x02": b"[\x00-\x02]"}
    return b"".join(pieces.get(shown[i : i + 1], re.escape(shown[i : i + 1])) for i in range(len(shown)))


def unwrapped(times: list[float]) -> list[float]:
    if len(times) < 2 or times[0] >= DAY:
        return times
    days, made = 0, [times[0]]
    for before, now in itertools.pairwise(times):
        days += now - before < -DAY / 2
        made.append(now + days * DAY)
    return made
