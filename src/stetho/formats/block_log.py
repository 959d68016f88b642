"""The log of LevelDB, as W&B writes it: blocks of 32 KiB, and records that may be split over several of them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from stetho.reader import Flaw

BLOCK = 32 * 1024
HEADER = struct.Struct("<IHB")
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4
# A record that is longer holds no numbers of a run.
LONGEST = 16 << 20


def records(handle: BinaryIO, skipped: int) -> Iterator[tuple[int, bytes] | Flaw]:
    """Every whole record with its offset; the first block begins with so many bytes that are none of it."""
    offset, began = 0, -1
    gathered: list[bytes] = []
    damaged, first = 0, 0
    at = skipped
    while block := _filled(handle):
        while at + HEADER.size <= len(block):
            checksum, length, kind = HEADER.unpack_from(block, at)
            if kind == 0 and length == 0:
                # Room that was made and never filled.
                break
            body = block[at + HEADER.size : at + HEADER.size + length]
            place = offset + at
            if len(body) < length and len(block) < BLOCK:
                yield Flaw(f"cut off within a record of {length} bytes, of which {len(body)} are there", offset=place)
                return
            if len(body) < length or zlib.crc32(body, zlib.crc32(bytes([kind]))) != checksum:
                # Where the next record begins is not known before the next block does.
                damaged, first, gathered = damaged + 1, first if damaged else place, []
                break
            at += HEADER.size + length
            if kind == FULL:
                yield place, body
                gathered = []
            elif kind == FIRST:
                gathered, began = [body], place
            elif gathered and sum(map(len, gathered)) <= LONGEST:
                gathered.append(body)
                if kind == LAST:
                    yield began, b"".join(gathered)
                    gathered = []
        if len(block) < BLOCK and at < len(block) and any(block[at:]) and not damaged:
            yield Flaw("cut off within the header of a record", offset=offset + at)
        offset, at = offset + len(block), 0
    if gathered:
        yield Flaw("cut off within a record that goes over several blocks", offset=began)
    if damaged:
        yield Flaw(f"{damaged} blocks have a damaged record; what follows it in its block is lost", offset=first)


def _filled(handle: BinaryIO) -> bytes:
    """The next block, whole unless the file ends."""
    block = handle.read(BLOCK)
    while 0 < len(block) < BLOCK and (more := handle.read(BLOCK - len(block))):
        block += more
    return block
