"""Which lines of names stand above which rows: rows get a shape of their own for each table that they stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stetho.text import grid
from stetho.text.blocks import Block

if TYPE_CHECKING:
    from stetho.series import Whole
    from stetho.text.shapes import Shapes

# So many lines are remembered, and so many different lines of names are followed; a log that has more is no table.
MOST, MOST_HEADERS = 4096, 16


class Headers:
    """The last line of names, and the shapes that rows have below such lines."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.columns: list[dict[int, grid.Names]] = [{}]
        self.current = 0
        self._numbers: dict[bytes, int] = {}
        self._below: dict[tuple[int, grid.Names], int] = {}
        self._heads: set[int] = set()
        self._rows: set[int] = set()
        self._looked_at = 0

    def settled(self, block: Block, codes: Whole) -> Whole:
        """The codes of a block's lines, those of rows below a line of names changed to what they are there."""
        import numpy as np

        self._look()
        if not self._heads:
            return codes
        present = set(np.flatnonzero(np.bincount(codes)).tolist())
        heads, rows = present & self._heads, present & self._rows
        if not heads and not (rows and self.current):
            return codes
        begun = np.flatnonzero(np.isin(codes, list(heads)))
        raw, edges = block.raw, zip(block.starts[begun].tolist(), block.ends[begun].tolist(), strict=True)
        said = np.fromiter((self._number(raw[a:b]) for a, b in edges), np.int64, len(begun))
        begun, said = begun[said > 0], said[said > 0]
        numbers = np.append(self.current, said)
        self.current = int(numbers[-1])
        at = np.flatnonzero(np.isin(codes, list(rows)))
        above = numbers[np.searchsorted(begun, at)]
        for pair in np.unique(np.stack([above, codes[at]]), axis=1).T.tolist():
            settled = self._settled(*pair)
            if settled != pair[1]:
                codes[at[(above == pair[0]) & (codes[at] == pair[1])]] = settled
        return codes

    def is_one(self, line: bytes) -> bool:
        """Whether a line was taken for one of names."""
        return self._numbers.get(line, 0) > 0

    def _look(self) -> None:
        """Take note of shapes that are new."""
        known = self.shapes.known
        for code in range(self._looked_at, len(known)):
            if known[code].heads:
                self._heads.add(code)
            if known[code].cells is not None:
                self._rows.add(code)
        self._looked_at = len(known)

    def _number(self, line: bytes) -> int:
        """The number of a line of names; 0 for a line that is none."""
        known = self._numbers.get(line)
        if known is None:
            columns = grid.names(line) if len(self.columns) <= MOST_HEADERS else {}
            if columns:
                self.columns.append(columns)
            known = len(self.columns) - 1 if columns else 0
            if len(self._numbers) < MOST:
                self._numbers[line] = known
        return known

    def _settled(self, header: int, code: int) -> int:
        """The code of a row below a line of names; its own where that line has other columns."""
        shape = self.shapes.known[code]
        cells = shape.cells or ()
        names = self.columns[header].get(len(cells))
        if names is None or not grid.fits(cells, names):
            return code
        settled = self._below.get((code, names))
        if settled is None:
            self.shapes.known.append(shape.below(names))
            settled = self._below[code, names] = len(self.shapes.known) - 1
        return settled
