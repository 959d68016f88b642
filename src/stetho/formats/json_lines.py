"""JSON Lines, a block at a time: lines that differ from one another only in their numbers are read at once.

A line that `json` has read makes a template: the texts between its numbers. In a block, each of these texts is replaced
by a byte that no other line has. A line whose numbers taken away leave just these bytes, in order, is the template with
other numbers. All other lines are read by `json`, one by one, and so is a block with a number that JSON does not allow.
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
from stetho.formats.rows import numbers
from stetho.reader import Flaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stetho.series import Floats, Whole

    Found: TypeAlias = dict[str, list[tuple[Whole, Floats]]]

MOST_TEMPLATES = 40
FEW = 8
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?')
IN_NUMBERS = b"0123456789+-.eE"
# A number that is longer is left to json, which knows what to make of it.
LONGEST_NUMBER = 300
SHIFT = 1000.0

# What may follow what within a number: classes of bytes, and all pairs of them that JSON does not allow.
SEPARATOR, DIGIT, ZERO, MINUS, PLUS, POINT, POWER = range(7)
FOLLOWS = {
    SEPARATOR: (SEPARATOR, DIGIT, ZERO, MINUS), DIGIT: (SEPARATOR, DIGIT, ZERO, POINT, POWER),
    ZERO: (SEPARATOR, DIGIT, ZERO, POINT, POWER), MINUS: (DIGIT, ZERO), PLUS: (DIGIT, ZERO), POINT: (DIGIT, ZERO),
    POWER: (DIGIT, ZERO, MINUS, PLUS),
}  # fmt: skip
KINDS = {**{ord(digit): DIGIT for digit in "123456789"}, ord("0"): ZERO, ord("-"): MINUS, ord("+"): PLUS,
         ord("."): POINT, ord("e"): POWER, ord("E"): POWER}  # fmt: skip
CLASSES = bytes(KINDS.get(byte, SEPARATOR) for byte in range(256))
WRONG = bytes(int(code >> 3 in FOLLOWS and code & 7 not in FOLLOWS[code >> 3]) for code in range(256))
SPACES = bytes(byte if byte in KINDS else 32 for byte in range(256))


@dataclass(frozen=True)
class Template:
    """A line without its numbers."""

    texts: tuple[tuple[bytes, bytes], ...]
    """What is replaced by which byte, the longest first, as one text may be part of another."""
    skeleton: bytes
    """What is left of a line when its numbers are taken away."""
    slots: int
    names: tuple[tuple[str, int], ...]
    """Names, and the number of the line that each has."""


def template_of(line: bytes) -> Template | None:
    """The template that a line makes; None where its numbers are not all that matters."""
    spans = [found.span() for found in TOKEN.finditer(line) if found[0][:1] != b'"']
    edges = [0, *(edge for span in spans for edge in span), len(line)]
    texts = [line[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True)]
    different = sorted(set(texts), key=len, reverse=True)
    if not spans or len(different) > 100 or not all(different):
        return None
    try:
        first, second = (numbers(_numbered(line, shift)) for shift in (0.0, SHIFT))
    except (ValueError, RecursionError):
        return None
    # What does not move with the shift is a number written as text, which another line may have differently.
    if first.keys() != second.keys() or any(second[name] != at + SHIFT for name, at in first.items()):
        return None
    marks = {text: bytes([128 + n]) for n, text in enumerate(different)}
    names = tuple((name, int(at)) for name, at in first.items())
    return Template(tuple(marks.items()), b"".join(marks[text] for text in texts), len(spans), names)


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


def filled(template: Template, block: bytes) -> tuple[Whole, Floats] | None:
    """The lines of a block that a template fits, and their numbers; None where it fits none, or too few."""
    text = block
    for words, mark in template.texts:
        text = text.replace(words, mark)
    left = text.translate(None, IN_NUMBERS)
    count = block.count(b"\n")
    lines = np.arange(count, dtype=np.int64)
    if left != (template.skeleton + b"\n") * count:
        fits = [line == template.skeleton for line in left.split(b"\n")[:-1]]
        if sum(fits) < FEW:
            return None
        lines = np.flatnonzero(fits)
        text = b"".join(line + b"\n" for line, fit in zip(text.split(b"\n"), fits, strict=False) if fit)
    values = parsed(text, len(lines) * template.slots)
    return None if values is None else (lines, values.reshape(len(lines), template.slots))


def parsed(text: bytes, count: int) -> Floats | None:
    """So many numbers out of a text of numbers and separators; None when one of them is not what JSON allows."""
    kinds = np.frombuffer(text.translate(CLASSES), np.uint8)
    if b"\1" in ((kinds[:-1] << 3) + kinds[1:]).tobytes().translate(WRONG):
        return None
    begins = np.flatnonzero((kinds[:-1] == SEPARATOR) & (kinds[1:] != SEPARATOR)) + 1
    if len(begins) != count or (count and int(np.diff(begins, append=len(text)).max()) > LONGEST_NUMBER):
        return None
    negative = kinds[begins] == MINUS
    first = begins + negative
    after = kinds[first + 1]
    # A number may not begin with 0 and go on, and -0 is a whole number, which has no sign when it is zero.
    if ((kinds[first] == ZERO) & ((after == DIGIT) | (after == ZERO) | (negative & (after == SEPARATOR)))).any():
        return None
    try:
        values = np.fromstring(text.translate(SPACES), np.float64, sep=" ")
    except ValueError:
        return None
    return values if len(values) == count else None


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

    def add(self, block: bytes) -> None:
        """A block of whole lines, the last of which ends, too."""
        count = block.count(b"\n")
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
            found.setdefault(name, []).append((own, values[:, at]))
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
            found.add(block.lines)
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
