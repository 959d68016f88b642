"""CRC-32C of many records at once: a checksum is the XOR of what each byte adds at its distance from the end."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

POLYNOMIAL = 0x82F63B78
# Longer records are taken in rows of this many bytes, so that the table of distances stays in the cache.
ROW = 1024
# Bytes looked up at a time, which bounds the memory that this takes.
BLOCK = 1 << 20
MASK_ADDS = 0xA282EAD8


@cache
def _first() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return tuple(table)


@cache
def _distances() -> NDArray[np.uint32]:
    """What each value of a byte adds, by how many bytes come after it."""
    first = np.array(_first(), np.uint32)
    table = np.empty((ROW, 256), np.uint32)
    table[0] = first
    for distance in range(1, len(table)):
        before = table[distance - 1]
        table[distance] = before >> 8 ^ first[before & 255]
    return table


@cache
def _starts() -> NDArray[np.uint32]:
    """What the beginning state, all ones, has become after so many bytes."""
    first, state, states = _first(), 0xFFFFFFFF, []
    for _ in range(ROW + 1):
        states.append(state)
        state = state >> 8 ^ first[state & 255]
    return np.array(states, np.uint32)


def _added(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """What the bytes of each row add, without the beginning state."""
    count, width = rows.shape
    table = _distances()[:width][::-1].ravel()
    offsets = np.arange(width, dtype=np.int32) * 256
    out = np.zeros(count, np.uint32)
    step = max(1, BLOCK // max(1, width))
    for begin in range(0, count, step):
        found = table.take(rows[begin : begin + step] + offsets)
        out[begin : begin + step] = np.bitwise_xor.reduce(found, axis=1)
    return out


def of_rows(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The checksum of each row; all rows have one length."""
    width = rows.shape[1]
    if width <= ROW:
        return ~(_added(rows) ^ _starts()[width])
    return np.array([of_bytes(row) for row in rows], np.uint32)


def of_bytes(data: NDArray[np.uint8]) -> int:
    """The checksum of one record of any length."""
    if len(data) <= ROW:
        return int(of_rows(data[None])[0])
    table = _distances()
    # Zeros in front add nothing, once the beginning state is folded into the first four bytes.
    padded = np.zeros(-(-len(data) // ROW) * ROW, np.uint8)
    padded[-len(data) :] = data
    padded[len(padded) - len(data) :][:4] ^= 255
    moved = [[int(value) for value in table[ROW - 1 - byte]] for byte in range(4)]
    state = 0
    for added in _added(padded.reshape(-1, ROW)).tolist():
        state = (
            moved[0][state & 255]
            ^ moved[1][state >> 8 & 255]
            ^ moved[2][state >> 16 & 255]
            ^ moved[3][state >> 24]
            ^ added
        )
    return state ^ 0xFFFFFFFF


def masked(checksums: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """As it is stored, so that a checksum of data that holds checksums stays a good one."""
    low, high = np.uint32(15), np.uint32(17)
    return (checksums >> low | checksums << high) + np.uint32(MASK_ADDS)
