"""Protocol buffers without their schema: the fields of a message, one after the other."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TypeAlias

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Field: TypeAlias = tuple[int, int, int, int]
"""Its number, its kind, and then where it begins and ends; for a varint, its value and where it ends."""


class Malformed(ValueError):
    """Bytes that are not such a message."""


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """An unsigned number, and where the next thing begins."""
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
    raise Malformed("a number has no end")


def fields(data: bytes, at: int = 0, end: int | None = None) -> Iterator[Field]:
    """The fields of a message; what does not hold together ends it with `Malformed`."""
    end = len(data) if end is None else end
    while at < end:
        tag, at = varint(data, at, end)
        kind = tag & 7
        if kind == VARINT:
            value, at = varint(data, at, end)
            yield tag >> 3, kind, value, at
            continue
        if kind == BYTES:
            size, at = varint(data, at, end)
        elif kind == FIXED64:
            size = 8
        elif kind == FIXED32:
            size = 4
        else:
            raise Malformed(f"kind {kind} of a field")
        if size > end - at:
            raise Malformed("a field goes beyond its message")
        yield tag >> 3, kind, at, at + size
        at += size


def signed(value: int) -> int:
    """A varint of a signed type."""
    return value - (1 << 64) if value >= 1 << 63 else value


def text(data: bytes, begin: int, end: int) -> str:
    return data[begin:end].decode("utf-8", "backslashreplace")


def double(data: bytes, begin: int) -> float:
    return float(struct.unpack_from("<d", data, begin)[0])
