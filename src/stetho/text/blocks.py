"""A log as blocks of whole lines, with where each line stands; memory stays the same however long the log is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from stetho.text.numerals import eights

if TYPE_CHECKING:
    from stetho.series import Whole

# Small enough for a processor's cache, large enough that what is done once per block costs little.
BLOCK = 1 << 21
# A line longer than this is cut to its head; the rest is passed over.
LONG, HEAD = 1 << 20, 1 << 16
_BACK = re.compile(rb"\x08+")


@dataclass(frozen=True, eq=False)
class Block:
    """Lines that lie one after the other; a frame that a progress bar overwrites with `\\r` is a line, too."""

    raw: bytes
    starts: Whole
    ends: Whole
    numbers: Whole
    """The line of the file, from 1, as editors and grep count; frames of one bar share it."""
    first: int
    """How many lines and frames came before."""

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def eights(self) -> Whole:
        """The eight bytes from each place on as one number."""
        return eights(self.raw)

    def line(self, index: int) -> bytes:
        return self.raw[self.starts[index] : self.ends[index]]


def blocks(handle: BinaryIO, progress: Callable[[int], None] | None = None, size: int = BLOCK) -> Iterator[Block]:
    """The lines of an open file, block by block; `progress` is told how many bytes have been read."""
    number, first, read, carry, skipping = 1, 0, 0, b"", False
    while True:
        data = handle.read(size)
        read += len(data)
        if b"\b" in data:
            # A bar that steps back to where it began is one that returns.
            data = _BACK.sub(b"\r", data)
        if progress is not None:
            progress(read)
        ended = not data
        if skipping:
            # The rest of a line that is too long is passed over up to its end.
            found = _first_end(data)
            if found < 0 and not ended:
                continue
            data, carry, skipping = carry + data[max(found, 0) :], b"", False
        elif carry.endswith(b"\r"):
            data, carry = carry + data, b""
        if ended and not data and not carry:
            return
        if not ended:
            # A final \r may be half of \r\n.
            cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1))
            if cut < 0:
                carry += data
                skipping = len(carry) >= LONG
                carry = carry[:HEAD] if skipping else carry
                continue
            # A block is copied once: from what was read, behind what was left of the one before.
            data, carry = b"".join((carry, memoryview(data)[: cut + 1])), data[cut + 1 :]
        else:
            data, carry = carry + data, b""
            if not data.endswith((b"\n", b"\r")):
                data += b"\n"
        block, number = _block(data, number, first)
        first += len(block)
        yield block
        if ended:
            return


def _first_end(data: bytes) -> int:
    ends = [at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0]
    return min(ends, default=-1)


def _block(data: bytes, number: int, first: int) -> tuple[Block, int]:
    import numpy as np

    frames = b"\r" in data
    raw = np.frombuffer(data, np.uint8)
    if frames:
        returns = np.flatnonzero(raw == 13)
        doubled = raw[np.minimum(returns + 1, len(raw) - 1)] == 10
        if doubled.any():
            # Lines of Windows; where no bar stands among them, to leave out the one byte is far cheaper.
            frames = not doubled.all()
            data = data.replace(b"\r\n", b"\n") if frames else data.translate(None, b"\r")
            raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((raw == 10) | (raw == 13) if frames else raw == 10)
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    if frames:
        passed = np.cumsum(raw[ends] == 10)
        numbers = np.empty_like(ends)
        numbers[0] = number
        numbers[1:] = number + passed[:-1]
        after = number + int(passed[-1])
    else:
        numbers = np.arange(number, number + len(ends))
        after = number + len(ends)
    return Block(data, starts, ends, numbers, first), after
