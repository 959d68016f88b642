"""Lines known by their widths: where runs of digits and blanks are as long as in an earlier line, all is known at once.

What the line says, and where each of its numbers stands. Most logs have few widths; where they are many, the runs of a
block are made one before its lines are looked up, and places are not known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stetho.text.even import ANSI, CODES, LONGEST, back, collapse, collapsed

if TYPE_CHECKING:
    from stetho.series import Whole
    from stetho.text.extraction import Extraction
    from stetho.text.grammar import Span
    from stetho.text.shapes import Shapes

MOST = 1 << 16
# The share of lines in a block whose widths may be new before it is cheaper to make all runs one.
FEW = 0.08
# Blocks after which it is tried again whether widths are few.
PATIENCE = 64
UNKNOWN, REFUSED = -1, -2
_RUNS = re.compile(rb"0+| +")


class Widths(dict[bytes, int]):
    """Numbers of widths by lines whose runs are not made one; below zero, the code of a line that is not remembered."""

    def __init__(self, shapes: Shapes) -> None:
        super().__init__()
        self.shapes = shapes
        self.missed = 0
        self.patience = 0
        self.of_block: Whole | None = None
        """The number of each line's widths in the block that was looked up last; None where they are not known."""
        self._codes: list[int] = []
        self._code_of = np.zeros(0, np.int64)
        self.places = Places(self)
        self.texts: list[bytes] = []

    def __missing__(self, wide: bytes) -> int:
        self.missed += 1
        code = self.shapes[collapsed(wide)]
        if len(self) >= MOST or len(wide) >= LONGEST:
            return -1 - code
        self[wide] = len(self._codes)
        self._codes.append(code)
        self.texts.append(wide)
        return len(self._codes) - 1

    def codes(self, block: bytes, lines: int) -> Whole:
        """The code of every line of a block that ends with a line's end."""
        coded, self.of_block = block.translate(CODES), None
        if self.patience:
            self.patience -= 1
            return np.fromiter(map(self.shapes.__getitem__, collapse(coded)[:-1].split(b"\n")), np.int64, lines)
        self.missed = 0
        found = np.fromiter(map(self.__getitem__, coded[:-1].split(b"\n")), np.int64, lines)
        if len(self._codes) > len(self._code_of):
            self._code_of = np.array(self._codes, np.int64)
        low = int(found.min(initial=0))
        codes = self._code_of[found] if low >= 0 else self._some_forgotten(found)
        if self.missed > FEW * lines:
            self.patience = PATIENCE
            self._forget()
        else:
            self.of_block = found
        return codes

    def _some_forgotten(self, found: Whole) -> Whole:
        codes = -1 - found
        known = found >= 0
        codes[known] = self._code_of[found[known]]
        return codes

    def _forget(self) -> None:
        self.clear()
        self._codes, self.texts, self._code_of = [], [], np.zeros(0, np.int64)
        self.places = Places(self)


class Places:
    """Where the numbers of a line stand, by the number of its widths; found when it is first asked for."""

    def __init__(self, widths: Widths) -> None:
        self.widths = widths
        # By number of widths: where its places are in the arrays below, and for which shape they were found.
        self._row = self._made_for = np.zeros(0, np.int64)
        self._edges: list[Span] = []
        self._begins = self._ends = np.zeros(0, np.int64)

    def of(self, extractions: dict[int, Extraction], codes: Whole, numbers: Whole) -> tuple[Whole, Whole] | None:
        """Where the numbers of some lines begin and end, counted from each line's start: a row for each number.

        The lines must be read alike; None when not all places are known.
        """
        if int(numbers.min(initial=0)) < 0:
            return None
        if len(self._row) < len(self.widths.texts):
            more = np.full(len(self.widths.texts) - len(self._row), UNKNOWN, np.int64)
            self._row, self._made_for = np.concatenate([self._row, more]), np.concatenate([self._made_for, more])
        rows = self._row[numbers]
        if (rows == UNKNOWN).any():
            new, first = np.unique(numbers[rows == UNKNOWN], return_index=True)
            for number, code in zip(new.tolist(), codes[rows == UNKNOWN][first].tolist(), strict=True):
                self._find(number, code, extractions[code].wanted, extractions[code].shown)
            edges = np.array(self._edges, np.int64).reshape(-1, 2)
            self._begins, self._ends = edges[:, 0], edges[:, 1]
            rows = self._row[numbers]
        if int(rows.min(initial=0)) < 0 or (self._made_for[numbers] != codes).any():
            return None
        many = len(extractions[int(codes[0])].wanted)
        at = rows + np.arange(many)[:, None]
        return self._begins[at], self._ends[at]

    def _find(self, number: int, code: int, spans: Sequence[Span], shown: bytes) -> None:
        found = places(self.widths.texts[number], spans, shown)
        self._made_for[number] = code
        self._row[number] = REFUSED if found is None else len(self._edges)
        self._edges += found or ()


def places(wide: bytes, spans: Sequence[Span], shown: bytes) -> list[Span] | None:
    """Where spans of an evened line lie in a line in codes; None if terminal codes stand within one of them."""
    text = back(wide)
    if b"\x1b" not in text:
        begins, ends = _evened(text)
        whole = True
    else:
        whole, kept = False, bytearray(text)
        left = np.ones(len(text), np.bool_)
        for code in ANSI.finditer(text):
            left[code.start() : code.end()] = False
        where = np.flatnonzero(left).tolist()
        kept = bytearray(text[at] for at in where)
        begins, ends = _evened(bytes(kept))
        begins, ends = [where[at] for at in begins], [where[at - 1] + 1 for at in ends]
        text = bytes(kept)
    if _RUNS.sub(lambda run: run[0][:1], text) != shown:
        return None
    found = [(begins[a], ends[b - 1]) for a, b in spans]
    if not whole and any(b"\x1b" in back(wide)[a:b] for a, b in found):
        return None
    return found


def _evened(text: bytes) -> tuple[list[int], list[int]]:
    """Where each character of the evened text begins and ends in the text."""
    begins: list[int] = []
    ends: list[int] = []
    done = 0
    for run in _RUNS.finditer(text):
        begin, end = run.span()
        begins += range(done, begin + 1)
        ends += range(done + 1, begin + 1)
        ends.append(end)
        done = end
    begins += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return begins, ends
