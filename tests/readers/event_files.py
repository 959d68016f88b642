"""Writes TensorBoard event files, byte by byte, as their formats say."""

from __future__ import annotations

import struct


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(number: int, data: bytes | int | float, kind: str = "") -> bytes:
    """One field of a message: bytes, a varint, or a float of a given format."""
    if kind:
        return varint(number << 3 | {4: 5, 8: 1}[struct.calcsize(kind)]) + struct.pack(kind, data)
    if isinstance(data, bytes):
        return varint(number << 3 | 2) + varint(len(data)) + data
    return varint(number << 3) + varint(int(data))


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def event(time: float, step: int, *values: bytes) -> bytes:
    head = field(1, time, "<d") + (field(2, step) if step else b"")
    return frame(head + field(5, b"".join(field(1, value) for value in values)))


def version(time: float = 1.0) -> bytes:
    return frame(field(1, time, "<d") + field(3, b"brain.Event:2"))


def simple(tag: str, value: float) -> bytes:
    return field(1, tag.encode()) + field(2, value, "<f")


def metadata(plugin: str) -> bytes:
    return field(9, field(1, field(1, plugin.encode())))


def tensor(tag: str, kind: int, body: bytes, plugin: str = "scalars", shape: tuple[int, ...] = ()) -> bytes:
    dims = b"".join(field(2, field(1, size)) for size in shape)
    held = field(8, field(1, kind) + field(2, dims) + body)
    return field(1, tag.encode()) + held + (metadata(plugin) if plugin else b"")
