"""The numbers of a block's lines, read together as far as they can be; what cannot is cut out and read for itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stetho.text.blocks import Block
from stetho.text.shapes import Shapes
from stetho.text.stream import TABLE
from stetho.text.widths import Widths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stetho.series import Floats, Whole
    from stetho.text.extraction import Extraction

    Names = NDArray[np.object_] | None


class Figures:
    """How the lines of a log are read once their shapes are known."""

    def __init__(self, shapes: Shapes, widths: Widths) -> None:
        self.shapes, self.widths = shapes, widths
        self.alike = np.zeros(0, np.int64)
        """For every shape, the first one whose lines are read in the same way."""
        self._likes: dict[object, int] = {}
        self._extractions: dict[int, Extraction] = {}

    def learn(self) -> None:
        """Take note of the shapes that are new."""
        known, old = self.shapes.known, len(self.alike)
        for code in range(old, len(known)):
            extraction = known[code].extraction
            if extraction is not None:
                self._extractions[code] = extraction
        likes = np.fromiter((self._like(code) for code in range(old, len(known))), np.int64, len(known) - old)
        self.alike = np.concatenate([self.alike, likes])

    def _like(self, code: int) -> int:
        extraction = self._extractions.get(code)
        alike = None if extraction is None else extraction.alike
        return code if alike is None else self._likes.setdefault(alike, code)

    def places(self, block: Block, codes: Whole, at: Whole) -> tuple[Whole, Whole] | None:
        """Where the numbers of lines that are read alike stand in the block; None where that is not known."""
        numbers = self.widths.of_block
        found = None if numbers is None else self.widths.places.of(self._extractions, codes[at], numbers[at])
        if found is None:
            return None
        starts = block.starts[at]
        return found[0] + starts, found[1] + starts

    def order(
        self, block: Block, codes: Whole, at: Whole, metrics: Sequence[int], read: bool
    ) -> list[Floats] | list[Whole] | None:
        """What puts the lines of one stream into the order of their values; their values where that must be `read`."""
        alike = self.alike[codes[at]]
        first = self._extractions.get(int(alike[0]))
        if first is not None and (alike == alike[0]).all():
            places = self.places(block, codes, at) if first.plainly(metrics) is not None else None
            if places is not None:
                found = first.order_at(block.eights, *places, metrics)
            else:
                found = first.order(block.raw, block.starts[at], block.ends[at], metrics)
            if found is not None:
                return found
        if not read:
            return None
        values = np.empty((len(at), len(metrics)))
        for same, rows, _ in self.read(block, codes, at, np.zeros(len(codes), np.int64)):
            values[same] = rows[:, list(metrics)]
        return list(values.T)

    def read(self, block: Block, codes: Whole, at: Whole, tables: Whole) -> Iterator[tuple[Whole, Floats, Names]]:
        """Lines, those that are read alike together: which of them these are, a row for each, and names with digits."""
        for like, same in _groups(self.alike[codes[at]]):
            lines = at[same]
            places = self.places(block, codes, lines)
            rows = None if places is None else self._extractions[like].read_at(block.raw, *places)
            names: Names = None
            if rows is None:
                rows, names = self._cut_out(like, _texts(block, lines))
            if self.shapes.known[like].plan.row:
                rows[:, TABLE - 5] = tables[lines]
            yield same, rows, names

    def read_one(self, code: int, line: bytes, table: int) -> tuple[Floats, Names]:
        """One line, which may lie in no block any more."""
        rows, names = self._cut_out(code, [line])
        if self.shapes.known[code].plan.row:
            rows[:, TABLE - 5] = table
        return rows, names

    def _cut_out(self, code: int, texts: list[bytes]) -> tuple[Floats, Names]:
        extraction = self._extractions[code]
        rows, said = extraction.read(texts)
        names = None
        if extraction.named:
            names = np.empty(len(texts), object)
            for at, row in enumerate(said or []):
                names[at] = row
        return rows, names

    def times(self, block: Block, codes: Whole, at: Whole) -> Iterator[tuple[Whole, Floats]]:
        """When lines that have stamps were written: which of them, and the times."""
        for code, same in _groups(codes[at]):
            yield same, np.array(self._extractions[code].times(_texts(block, at[same])))


def _groups(codes: Whole) -> Iterator[tuple[int, Whole]]:
    """Lines by their codes: the code, and which of the lines have it."""
    if not len(codes):
        return
    if (codes == codes[0]).all():
        yield int(codes[0]), np.arange(len(codes))
        return
    for code in np.unique(codes).tolist():
        yield code, np.flatnonzero(codes == code)


def _texts(block: Block, at: Whole) -> list[bytes]:
    raw, starts, ends = block.raw, block.starts[at].tolist(), block.ends[at].tolist()
    return [raw[a:b] for a, b in zip(starts, ends, strict=True)]
