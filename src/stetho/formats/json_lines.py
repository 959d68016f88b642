"""JSON Lines, a block at a time: lines that differ from one another only in their numbers are read at once.

A line that `json` has read makes a template. In a block, runs of the characters that numbers are made of are found; a
line fits when it has as many of them at the same distances, the characters between them are those of the template, and
so are the runs that are no numbers, like the e in "step". All other lines are read by `json`, one by one, and so is a
block with a number that JSON does not allow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np

from stetho.formats.blocks import blocks
from stetho.formats.columns import Columns
from stetho.formats.decimals import MARGIN, decimals
from stetho.formats.rows import as_float, numbers
from stetho.reader import Flaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stetho.series import Floats, Whole

    Found: TypeAlias = dict[str, list[tuple[Whole, Floats]]]

MOST_TEMPLATES = 40
FEW = 8
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?')
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]{0,300})(?:(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,300})?)")
IN_NUMBERS = b"0123456789+-.eE"
RUN = re.compile(rb"[0-9+\-.eE]+")
IS_IN = bytes(int(byte in IN_NUMBERS) for byte in range(256))
SHIFT = 1000.0


@dataclass(frozen=True)
class Template:
    """A line without its numbers."""

    rest: bytes
    """What is left of it when all that numbers are made of is taken away."""
    gaps: tuple[int, ...]
    """How many characters stand before each run, and after the last one."""
    runs: tuple[bytes | None, ...]
    """The runs that are no numbers; None for each that is one."""
    names: tuple[tuple[str, int], ...]
    """Names, and the number of the line that each has."""


def template_of(line: bytes) -> Template | None:
    """The template that a line makes; None where its numbers are not all that matters."""
    numbers_at = {found.span() for found in TOKEN.finditer(line) if found[0][:1] != b'"'}
    runs = list(RUN.finditer(line))
    if not numbers_at or not numbers_at <= {found.span() for found in runs}:
        return None
    try:
        first, second = (numbers(_numbered(line, shift)) for shift in (0.0, SHIFT))
    except (ValueError, RecursionError):
        return None
    # What does not move with the shift is a number written as text, which another line may have differently.
    if first.keys() != second.keys() or any(second[name] != at + SHIFT for name, at in first.items()):
        return None
    edges = [0, *(edge for found in runs for edge in found.span()), len(line)]
    gaps = tuple(after - before for before, after in zip(edges[::2], edges[1::2], strict=True))
    kept = tuple(None if found.span() in numbers_at else found[0] for found in runs)
    names = tuple((name, int(at)) for name, at in first.items())
    return Template(line.translate(None, IN_NUMBERS), gaps, kept, names)


def _numbered(line: bytes, shift: float) -> dict[str, object]:
    """A line as json reads it, with each number replaced by its place among the numbers."""
    count = iter(range(len(line)))

    def place(_: str) -> float:
        return next(count) + shift

    def refuse(_: str) -> float:
        raise ValueError

    row = json.loads(line, parse_float=place, parse_int=place, parse_constant=refuse)
    if not isinstance(row, dict):
        raise ValueError
    return row


def filled(template: Template, block: bytes) -> tuple[Whole, list[Floats]] | None:
    """The lines of a block that a template fits, and their numbers, slot by slot; None where it fits too few."""
    rest = block.translate(None, IN_NUMBERS)
    count = len(rest) // (len(template.rest) + 1)
    lines = np.arange(count, dtype=np.int64)
    if rest != (template.rest + b"\n") * count:
        fits = [line == template.rest for line in rest.split(b"\n")[:-1]]
        if sum(fits) < FEW:
            return None
        lines = np.flatnonzero(fits)
        block = b"".join(line + b"\n" for line, fit in zip(block.split(b"\n"), fits, strict=False) if fit)
    values = _slots(template, block, len(lines))
    return None if values is None else (lines, values)


def _slots(template: Template, block: bytes, count: int) -> list[Floats] | None:
    """The numbers of lines whose other characters are those of a template; None if one is not where it should be."""
    text = bytes(MARGIN) + block + bytes(8)
    inside = np.frombuffer(text.translate(IS_IN), np.bool_)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    many = len(template.runs)
    if len(edges) != count * 2 * many:
        return None
    places = np.ascontiguousarray(edges.reshape(count, 2 * many).T)
    begins, ends = places[::2], places[1::2]
    before = np.append(MARGIN, ends[-1, :-1] + (template.gaps[-1] + 1))
    if (begins[0] - before != template.gaps[0]).any():
        return None
    if (begins[1:] - ends[:-1] != np.array(template.gaps[1:-1], np.int64)[:, None]).any():
        return None
    data = np.frombuffer(text, np.uint8)
    found: list[Floats] = []
    for begin, end, kept in zip(begins, ends, template.runs, strict=True):
        if kept is None:
            values = decimals(data, begin, end, _number)
            if values is None:
                return None
            found.append(values)
        elif (end - begin != len(kept)).any() or any((data[begin + n] != byte).any() for n, byte in enumerate(kept)):
            return None
    return found


def _number(text: bytes) -> float | None:
    """A number as json reads it; None for what it does not allow, or what is so long that it is left to json."""
    found = NUMBER.fullmatch(text)
    if found is None:
        return None
    return float(text) if found[1] or found[2] else as_float(int(text))


@dataclass
class Lines:
    """The rows of a file, gathered block by block."""

    columns: Columns
    line: int = 1
    bad: list[int] = field(default_factory=list)
    """The first and the last line that could not be read."""
    bad_lines: int = 0
    known: list[Template] = field(default_factory=list)
    made: int = 0

    def add(self, block: bytes, count: int) -> None:
        """A block of so many whole lines, the last of which ends, too."""
        found: Found = {}
        rows = np.zeros(count, np.bool_)
        rest = np.arange(count, dtype=np.int64)
        if block.isascii():
            for template in list(self.known):
                block, rest = self._fit(template, block, rest, rows, found)
            while len(rest) >= FEW and self.made < MOST_TEMPLATES:
                made = template_of(block[: block.index(b"\n")])
                if made is None or made in self.known:
                    break
                self.made += 1
                self.known.append(made)
                block, rest = self._fit(made, block, rest, rows, found)
        self._slowly(block, rest, rows, found)
        self._keep(rows, found)
        self.line += count

    def _fit(
        self, template: Template, block: bytes, rest: Whole, rows: NDArray[np.bool_], found: Found
    ) -> tuple[bytes, Whole]:
        """Take the lines that a template fits out of a block; a template that fits too few is forgotten."""
        fitting = filled(template, block) if len(rest) >= FEW else None
        if fitting is None:
            self.known.remove(template)
            return block, rest
        taken, values = fitting
        own = rest[taken]
        rows[own] = True
        for name, at in template.names:
            found.setdefault(name, []).append((own, values[at]))
        if len(taken) == len(rest):
            return b"", rest[:0]
        gone = set(taken.tolist())
        left = b"".join(line + b"\n" for n, line in enumerate(block.split(b"\n")[:-1]) if n not in gone)
        return left, rest[~rows[rest]]

    def _slowly(self, block: bytes, rest: Whole, rows: NDArray[np.bool_], found: Found) -> None:
        """Lines read by json, one by one."""
        slow: dict[str, tuple[list[int], list[float]]] = {}
        for number, line in zip(rest.tolist(), block.split(b"\n"), strict=False):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8", "replace"))
                if not isinstance(row, dict):
                    raise ValueError
            except (ValueError, RecursionError):
                self.damaged(self.line + number)
                continue
            rows[number] = True
            for name, value in numbers(row).items():
                at, values = slow.setdefault(name, ([], []))
                at.append(number)
                values.append(value)
        for name, (at, values) in slow.items():
            found.setdefault(name, []).append((np.array(at, np.int64), np.array(values, np.float64)))

    def damaged(self, line: int) -> None:
        self.bad = [self.bad[0] if self.bad else line, line]
        self.bad_lines += 1

    def _keep(self, rows: NDArray[np.bool_], found: Found) -> None:
        """Rows in the order of their lines; lines that are none are counted out."""
        place = np.cumsum(rows) - 1
        columns = {}
        for name, parts in found.items():
            at, values = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(at, kind="stable") if len(parts) > 1 else slice(None)
            columns[name] = place[at[order]], values[order]
        self.columns.block(np.flatnonzero(rows) + self.line, columns)


def read(handle: BinaryIO, columns: Columns) -> Iterator[Flaw]:
    """All rows of a file, and what of it could not be read."""
    found = Lines(columns)
    unended = False
    for block in blocks(handle):
        found.line = block.first
        unended = block.unended
        if block.lines:
            found.add(block.lines, block.count)
        else:
            found.damaged(block.first)
    yield from _flaws(found, unended)


def _flaws(found: Lines, unended: bool) -> Iterator[Flaw]:
    if not found.bad_lines:
        return
    first, final = found.bad
    if unended and final == found.line - 1:
        yield Flaw("cut off within its last line", line=final)
        found.bad_lines -= 1
    if found.bad_lines:
        many = "1 line is" if found.bad_lines == 1 else f"{found.bad_lines} lines are"
        yield Flaw(f"{many} not a row of JSON; the first one is named", line=first)
