"""Tables of separated values: where the header is, what separates, and many rows of numbers read at once."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from stetho.formats.blocks import blocks
from stetho.formats.columns import Columns, is_axis
from stetho.formats.rows import LONGEST_NAME, named, number_in, numbers, time_in
from stetho.reader import Flaw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Floats

    Held: TypeAlias = NDArray[np.bool_]

SEPARATORS = ",\t;|"
LOOKED_AT = 30
FITTING = 0.6
MEASURED = re.compile(
    r"loss|acc|(^|[^a-z])lr($|[^a-z])|learning.rate|rew|error|ppl|perplexity|bleu|auc|f1|rmse|(^|_)(r|l|t)$"
)
IN_NUMBERS = b"0123456789+-.eEnaifty" + b"NAIFTY"
COMMENT = "#"


@dataclass(frozen=True)
class Layout:
    """How a table is written."""

    separator: str
    header: tuple[str, ...]
    line: int
    """The line of the header."""
    sure: float


def layout_of(head: str, whole: bool) -> Layout | None:
    """The layout that the first lines of a text have; None where they are no table with a header."""
    lines = head.split("\n")
    # The last line may be half a line; of a whole file that has no other row it is looked at all the same.
    lines = (lines if whole and len(lines) == 2 else lines[:-1])[: LOOKED_AT + 10]
    skipped = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith(COMMENT)), None)
    if skipped is None or len(lines) < skipped + 2:
        return None
    top, rows = lines[skipped], lines[skipped + 1 : skipped + 1 + LOOKED_AT]
    for separator in SEPARATORS:
        if separator not in top:
            continue
        header = _cells(top, separator)
        cells = [_cells(row, separator) for row in rows if row.strip()]
        sure = _likely(header, cells)
        if sure:
            return Layout(separator, unique(header), skipped + 1, sure)
    return None


def _cells(line: str, separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line.rstrip("\r\n")], delimiter=separator), [])]
    except csv.Error:
        return []


def _likely(header: Sequence[str], rows: Sequence[Sequence[str]]) -> float:
    """How sure it is that this is the table of a run: names on top, and below them columns of numbers."""
    names = [name for name in header if name]
    if len(header) < 2 or len(names) < len(header) - 1 or len(set(names)) < len(names) or not rows:
        return 0.0
    if any(number_in(name) is not None or time_in(name) is not None or len(name) > LONGEST_NAME for name in names):
        return 0.0
    rows = [row for row in rows if not set(row) & set(names)]
    if not rows or sum(len(row) == len(header) for row in rows) < FITTING * len(rows):
        return 0.0
    held = [[row[n] for row in rows if n < len(row) and row[n]] for n in range(len(header))]
    numeric = [name for name, cells in zip(header, held, strict=True) if cells and all(map(_is_number, cells))]
    if not numeric:
        return 0.0
    if any(is_axis(name) for name in header):
        return 0.8
    return 0.6 if any(MEASURED.search(name.lower()) for name in numeric) else 0.2


def _is_number(cell: str) -> bool:
    return number_in(cell) is not None


def unique(header: Sequence[str]) -> tuple[str, ...]:
    """Names that differ; one without a name is called by its place."""
    names: list[str] = []
    for place, name in enumerate(header, 1):
        name = named(name) or f"column {place}"
        names.append(name if name not in names else f"{name} ({place})")
    return tuple(names)


def quick(block: bytes, separator: bytes, width: int) -> tuple[Floats, Held] | None:
    """The cells of a block in which every cell is a number or empty, and which of them are not empty."""
    import numpy as np

    from stetho.formats.decimals import MARGIN, decimals

    rest = block.translate(None, IN_NUMBERS)
    count = len(rest) // width
    if rest != (separator * (width - 1) + b"\n") * count:
        return None
    data = np.frombuffer(bytes(MARGIN) + block + bytes(8), np.uint8)
    ends = np.flatnonzero((data == ord(separator)) | (data == 10))
    begins = np.append(MARGIN, ends[:-1] + 1)
    values = np.full((width, count), np.nan)
    held = np.empty((width, count), np.bool_)
    # Column by column: the numbers of one are written alike, which makes them faster to read.
    for n, (begin, end) in enumerate(zip(begins.reshape(count, width).T, ends.reshape(count, width).T, strict=True)):
        held[n] = end > begin
        found = decimals(data, begin[held[n]], end[held[n]], lambda cell: number_in(cell.decode("ascii", "replace")))
        if found is None:
            return None
        values[n, held[n]] = found
    return values.T, held.T


@dataclass
class Table:
    """The rows of a table, gathered block by block."""

    layout: Layout
    columns: Columns
    header: tuple[str, ...] = ()
    bad: int = 0
    first_bad: int = 0
    cut: int = 0
    texts: list[tuple[int, list[str]]] = field(default_factory=list)

    def add(self, lines: bytes, first: int, unended: bool) -> None:
        """A block of whole lines."""
        import numpy as np

        lines = lines.replace(b"\r\n", b"\n") if b"\r" in lines else lines
        cells = None if unended else quick(lines, self.layout.separator.encode(), len(self.header))
        if cells is None:
            self._slowly(lines, first, unended)
            return
        values, held = cells
        found = {}
        for n, name in enumerate(self.header):
            rows = np.flatnonzero(held[:, n])
            found[name] = rows, values[rows, n]
        self.columns.block(np.arange(first, first + len(values), dtype=np.int64), found)

    def _slowly(self, lines: bytes, first: int, unended: bool) -> None:
        """Rows read one by one."""
        texts = lines.decode("utf-8", "replace").split("\n")[:-1]
        for line, text in enumerate(texts, first):
            if not text.strip() or text.startswith(COMMENT):
                continue
            cells = _cells(text, self.layout.separator)
            last = unended and line == first + len(texts) - 1
            if last and len(cells) < len(self.header):
                self.cut = line
            elif not cells or len(cells) > len(self.header):
                self._odd(cells, line)
            elif self._is_header(cells):
                self.header = unique(cells) if len(cells) > 1 else self.header
            else:
                self.columns.row(line, numbers(dict(zip(self.header, cells, strict=False))))

    def _odd(self, cells: list[str], line: int) -> None:
        """A row with more cells than there are names: a new header, or damage."""
        if cells and self._is_header(cells):
            self.header = unique(cells)
            return
        self.first_bad = self.first_bad or line
        self.bad += 1

    def _is_header(self, cells: list[str]) -> bool:
        """Whether a row is a header, as a restarted run may write it again, with other names."""
        return tuple(cells) == self.layout.header or (
            len(set(cells)) == len(cells) > 1 and all(c and number_in(c) is None and time_in(c) is None for c in cells)
            and any(c in self.layout.header for c in cells)
        )  # fmt: skip


def read(handle: BinaryIO, layout: Layout, columns: Columns) -> Iterator[Flaw]:
    """All rows of a table, and what of it could not be read."""
    table = Table(layout, columns, layout.header)
    for block in blocks(handle):
        lines, first = block.lines, block.first
        if first <= layout.line:
            # What comes before the header, and the header itself.
            skipped = layout.line - first + 1
            lines, first = b"\n".join(lines.split(b"\n", skipped)[skipped:]), layout.line + 1
        if lines:
            table.add(lines, first, block.unended)
        elif not block.lines:
            table.bad += 1
            table.first_bad = table.first_bad or first
    if table.cut:
        yield Flaw("cut off within its last row", line=table.cut)
    if table.bad:
        many = "1 row has" if table.bad == 1 else f"{table.bad} rows have"
        yield Flaw(f"{many} more cells than the header has names, or are too long", line=table.first_bad)
