"""A file as blocks of whole lines, in constant memory, whatever the length of its lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

BLOCK = 1 << 20
# A longer line holds no row of a log.
LONGEST = 4 << 20


@dataclass(frozen=True)
class Block:
    """Whole lines, each with its end; or, where `lines` is empty, one line that is too long to be one."""

    lines: bytes
    first: int
    """The number of its first line."""
    count: int
    unended: bool = False
    """Whether the file ends here without ending the line; the end has been put there."""


def blocks(handle: BinaryIO) -> Iterator[Block]:
    """All lines of a file, in blocks."""
    left, line, skipping = b"", 1, False
    while part := handle.read(BLOCK):
        whole, newline, rest = part.rpartition(b"\n")
        if newline:
            whole += newline
            if skipping:
                _, _, whole = whole.partition(b"\n")
                line += 1
                skipping = False
            if left or whole:
                lines = left + whole
                count = lines.count(b"\n")
                yield Block(lines, line, count)
                line += count
            left = rest
        elif not skipping:
            left += rest
        if len(left) > LONGEST:
            yield Block(b"", line, 1)
            left, skipping = b"", True
    if left:
        yield Block(left + b"\n", line, 1, unended=True)
