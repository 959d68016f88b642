"""Writes files as W&B does: records of protocol buffers in a log of blocks."""

from __future__ import annotations

import json
import struct
import zlib

from tests.readers.event_files import field

MAGIC = b":W&B\xe1\xbe\x00"
BLOCK = 32 * 1024


def log(records: list[bytes]) -> bytes:
    """Records in blocks, split where a block ends."""
    out = bytearray(MAGIC)
    for record in records:
        first = True
        while True:
            room = BLOCK - len(out) % BLOCK
            if room < 7:
                out += bytes(room)
                room = BLOCK
            part, record = record[: room - 7], record[room - 7 :]
            kind = (1 if not record else 2) if first else (4 if not record else 3)
            out += struct.pack("<IHB", zlib.crc32(part, zlib.crc32(bytes([kind]))), len(part), kind) + part
            first = False
            if not record:
                break
    return bytes(out)


def item(key: str | tuple[str, ...], value: object) -> bytes:
    names = field(1, key.encode()) if isinstance(key, str) else b"".join(field(2, one.encode()) for one in key)
    return names + field(16, json.dumps(value).encode())


def history(step: int, **values: object) -> bytes:
    items = b"".join(field(1, item((key,), value)) for key, value in values.items())
    return field(2, items + field(2, field(1, step) if step else b""))


def stats(seconds: int, **values: object) -> bytes:
    items = b"".join(field(3, item(key, value)) for key, value in values.items())
    return field(7, field(2, field(1, seconds)) + items)


def run(**config: object) -> bytes:
    updates = b"".join(field(1, item(key, value)) for key, value in config.items())
    return field(17, field(1, b"abc") + field(4, updates) + field(17, field(1, 100)))


def exit(code: int) -> bytes:
    return field(18, (field(1, code) if code else b"") + field(2, 5))
