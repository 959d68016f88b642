"""TFRecord frames: a length and its checksum, the data and its checksum; read a part at a time."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from stetho.formats import crc32c
from stetho.reader import Flaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

PART = 16 << 20
# A longer record is an image, a graph or a recording; it is passed over and not looked at.
LONGEST = 1 << 20
HEADER, FOOTER = 12, 4
# Frames that are walked one by one before it is tried whether they go on like that; and how many sizes take turns.
LOOKED_AT, LONGEST_TURN = 256, 64
LENGTH = struct.Struct("<Q").unpack_from


@dataclass(frozen=True)
class Frames:
    """Records that lie in one part of a file, all with the right checksums."""

    data: NDArray[np.uint8]
    """The part, and some zeros after it, so that looking a little further is never out of bounds."""
    raw: bytes
    offset: int
    """Where in the file the part begins."""
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


def good_length(header: bytes) -> bool:
    """Whether a header of a frame holds together."""
    if len(header) < HEADER:
        return False
    found = crc32c.masked(crc32c.of_rows(np.frombuffer(header[:8], np.uint8)[None]))
    return int(found[0]) == int.from_bytes(header[8:12], "little")


def frames(handle: BinaryIO) -> Iterator[Frames | Flaw]:
    """The frames of a file, part by part, and where it ends too early or is damaged."""
    offset, damaged, first = 0, 0, 0
    while True:
        handle.seek(offset)
        raw = handle.read(PART)
        if not raw:
            break
        starts, after = _walk(raw)
        if len(starts):
            data = np.frombuffer(raw + bytes(16), np.uint8)
            good = _right(data, starts, starts + 8, np.full(len(starts), 8, np.int64))
            if not good.all():
                # A length that is wrong leads nowhere; what lies before it stands.
                bad = int(np.flatnonzero(~good)[0])
                starts, after = starts[:bad], int(starts[bad])
            ends = np.append(starts[1:], after)[: len(starts)] - FOOTER
            sizes = ends - starts - HEADER
            small = sizes <= LONGEST
            starts, ends, sizes = starts[small], ends[small], sizes[small]
            whole = _right(data, starts + HEADER, ends, sizes)
            if not whole.all():
                first = first if damaged else offset + int(starts[~whole][0])
                damaged += int((~whole).sum())
            yield Frames(data, raw, offset, starts[whole] + HEADER, ends[whole])
        offset += after
        if after < len(raw):
            left = raw[after : after + HEADER]
            beyond = _beyond(handle, offset, left)
            if isinstance(beyond, Flaw):
                yield beyond
                break
            offset = beyond
    if damaged:
        yield Flaw(f"{damaged} record{'s' if damaged > 1 else ''} with a wrong checksum left out", offset=first)


def _walk(raw: bytes) -> tuple[NDArray[np.int64], int]:
    """Where the frames of a part begin, and where the last whole one ends."""
    parts, at, last = [], 0, len(raw) - HEADER - FOOTER
    whole = True
    while whole and at <= last:
        starts: list[int] = []
        while at <= last and len(starts) < LOOKED_AT:
            after = at + 16 + LENGTH(raw, at)[0]
            if after > last + 16:
                whole = False
                break
            starts.append(at)
            at = after
        parts.append(np.array(starts, np.int64))
        if whole and len(starts) == LOOKED_AT:
            more, at = _as_before(raw, np.diff(np.append(parts[-1], at)), at)
            parts.append(more)
    return np.concatenate(parts) if parts else np.zeros(0, np.int64), at


def _as_before(raw: bytes, sizes: NDArray[np.int64], at: int) -> tuple[NDArray[np.int64], int]:
    """Frames that go on in the sizes of those before, as a few tags in turn make them; and where the last one ends."""
    same = (p for p in range(1, LONGEST_TURN + 1) if bytes(sizes[p:]) == bytes(sizes[:-p]))
    period = next(same, 0)
    if not period:
        return np.zeros(0, np.int64), at
    turn = sizes[-period:]
    turns = (len(raw) - at) // int(turn.sum())
    ends = at + np.cumsum(np.tile(turn, turns))
    starts = np.append(at, ends[:-1])[: len(ends)]
    held = np.frombuffer(raw, np.uint8)
    lengths = np.zeros(len(starts), np.int64)
    for byte in range(4):
        lengths |= held[starts + byte].astype(np.int64) << (8 * byte)
    # A length of more than four bytes is of no frame that is read; the slow way looks at it.
    good = (lengths == ends - starts - 16) & ~held[starts[:, None] + np.arange(4, 8)].any(axis=1)
    count = len(good) if good.all() else int(np.argmin(good))
    return starts[:count], int(ends[count - 1]) if count else at


def _beyond(handle: BinaryIO, offset: int, header: bytes) -> int | Flaw:
    """Where to go on behind a frame that the part does not hold whole."""
    if len(header) < HEADER:
        size = handle.seek(0, 2)
        if offset + HEADER <= size:
            return offset
        return Flaw(f"cut off within the header of a record, {size - offset} bytes before the end", offset=offset)
    if not good_length(header):
        return Flaw("damaged: a record's length has a wrong checksum; what comes after it is lost", offset=offset)
    length: int = LENGTH(header, 0)[0]
    after = offset + HEADER + length + FOOTER
    size = handle.seek(0, 2)
    if after > size:
        return Flaw(
            f"cut off within a record of {length} bytes, of which {size - offset - HEADER} are there", offset=offset
        )
    return after if length > LONGEST else offset


def _right(
    data: NDArray[np.uint8], begins: NDArray[np.int64], stored: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which records have the checksum that is stored for them."""
    expected = sliding_window_view(data, 4)[stored].view("<u4").ravel()
    found = np.empty(len(begins), np.uint32)
    order = np.argsort(sizes, kind="stable")
    bounds = np.flatnonzero(np.diff(sizes[order])) + 1
    for group in np.split(order, bounds):
        if len(group):
            size = int(sizes[group[0]])
            found[group] = _checksums(data, begins[group], size)
    right: NDArray[np.bool_] = crc32c.masked(found) == expected
    return right


def _checksums(data: NDArray[np.uint8], begins: NDArray[np.int64], size: int) -> NDArray[np.uint32]:
    if size == 0:
        return np.zeros(len(begins), np.uint32)
    if size > crc32c.ROW:
        return np.array([crc32c.of_bytes(data[at : at + size]) for at in begins], np.uint32)
    return crc32c.of_rows(sliding_window_view(data, size)[begins])
