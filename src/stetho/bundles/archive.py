"""The archive itself: a gzipped tar of plain files, the same bytes for the same content; read without unpacking it."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from stetho.errors import BadRequest

BLOCK = 512
# What a bundle may hold once it is unpacked, in bytes and in members; a bomb ends here.
MOST_BYTES, MOST_MEMBERS = 256 << 20, 50_000
FILE_TYPES = (b"0", b"\0")
# What tools that pack again add: folders, and headers for long names and times, which no name of ours needs.
PASSED_OVER = (b"5", b"x", b"g", b"L", b"K")


class TooLarge(Exception):
    """The archive outgrew its bound."""


class Bounded(io.RawIOBase):
    """A file that refuses to grow beyond a size."""

    def __init__(self, handle: BinaryIO, most: int) -> None:
        self.handle, self.left = handle, most

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.left -= len(data)
        if self.left < 0:
            raise TooLarge
        return self.handle.write(data)


def write(handle: BinaryIO, members: Sequence[tuple[str, bytes]], most: int) -> None:
    """Write the members in their order, without times, owners or names of this machine; raises TooLarge."""
    if sum(len(data) for _, data in members) > MOST_BYTES:
        raise TooLarge
    bounded = Bounded(handle, most)
    with (
        gzip.GzipFile("", "wb", 6, bounded, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), 0o644, 0
            archive.addfile(info, io.BytesIO(data))


def is_packed(path: Path) -> bool:
    """Whether a file is a gzipped tar, whatever its name."""
    try:
        with path.open("rb") as handle:
            if handle.read(2) != b"\x1f\x8b":
                return False
            handle.seek(0)
            with gzip.GzipFile(fileobj=handle) as packed:
                return packed.read(BLOCK)[257:262] == b"ustar"
    except (OSError, EOFError, zlib.error):
        return False


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, one after the other; nothing is written anywhere, and nothing odd is let through."""
    left, seen = MOST_BYTES, set[str]()
    try:
        with gzip.open(path, "rb") as packed:
            for number in range(MOST_MEMBERS + 1):
                header = packed.read(BLOCK)
                if len(header) < BLOCK:
                    raise EOFError
                if not header.strip(b"\0"):
                    # To the end, where the checksum of the whole is.
                    while part := packed.read(1 << 20):
                        left = _taken(path, left, len(part))
                    return
                name, size, kind = _header(path, header)
                if number == MOST_MEMBERS:
                    raise BadRequest(f"'{path}' has more than {MOST_MEMBERS} members: that is no bundle")
                left = _taken(path, left, size)
                data = packed.read(size)
                if len(data) < size or len(packed.read(-size % BLOCK)) < -size % BLOCK:
                    raise EOFError
                if kind not in FILE_TYPES:
                    continue
                if name in seen:
                    raise BadRequest(f"'{path}' holds '{name}' twice, so it is not as stetho made it")
                seen.add(name)
                yield name, data
    except EOFError:
        raise BadRequest(f"'{path}' is cut off; copy it again") from None
    except (OSError, zlib.error) as error:
        raise BadRequest(f"'{path}' is damaged: {error}") from error


def _taken(path: Path, left: int, size: int) -> int:
    if size > left:
        raise BadRequest(f"'{path}' unpacks to more than {MOST_BYTES >> 20} MB: that is no bundle")
    return left - size


def _header(path: Path, header: bytes) -> tuple[str, int, bytes]:
    """A member's name, size and type; refuses links, devices and names that lead elsewhere."""
    text = header[:100].rstrip(b"\0").decode("utf-8", "backslashreplace")
    prefix = header[345:500].rstrip(b"\0").decode("utf-8", "backslashreplace") if header[257:263] == b"ustar\0" else ""
    name = f"{prefix}/{text}" if prefix else text
    kind = header[156:157]
    digits = header[124:136].strip(b"\0 ")
    total = sum(header) - sum(header[148:156]) + 8 * 32
    if header[148:156].strip(b"\0 ").lstrip(b"0") != f"{total:o}".encode() or not digits.isdigit():
        raise BadRequest(f"'{path}' is damaged: what is said of a member is not readable")
    if kind not in FILE_TYPES + PASSED_OVER:
        raise BadRequest(f"'{path}' holds a link or a device ('{name}'), which no bundle does; nothing of it was read")
    name = name.removeprefix("./")
    if name.startswith("/") or ".." in name.split("/"):
        raise BadRequest(f"'{path}' holds a file that leads out of it ('{name}'); nothing of it was read")
    try:
        return name, int(digits, 8), kind
    except ValueError:
        raise BadRequest(f"'{path}' is damaged: the size of '{name}' is no number") from None
