"""Text that was packed with gzip, as rotated logs are: read as it goes by, never further than can be borne."""

from __future__ import annotations

import io
import os
import zlib
from typing import Any, BinaryIO, cast

MAGIC = b"\x1f\x8b\x08"
# What is unpacked at most; and how many bytes of text one byte may hold, once there is much of it. Bars that hardly
# change are packed a hundredfold, what is made to do harm a thousandfold.
LARGEST, FREE, RATIO = 4 << 30, 64 << 20, 300
# Of a damaged part nothing comes out, so that little is read at a time.
PART, READ = 1 << 18, 1 << 12
GZIP = 31


class Unpacked(io.RawIOBase):
    """The bytes of a gzip file, some at a time; where it is torn, it ends."""

    def __init__(self, handle: BinaryIO) -> None:
        self.handle = handle
        self.inner = zlib.decompressobj(GZIP)
        self.left, self.taken, self.given = b"", 0, 0
        self.cut = ""
        """Why not all of it was read."""
        self.over = self.begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.over:
            part = self._some(min(len(buffer), PART))
            if part:
                buffer[: len(part)] = part
                return len(part)
        return 0

    def _some(self, most: int) -> bytes:
        """A little more of the text; nothing where more has to be read first."""
        if not self.left and not self._more():
            return b""
        try:
            out = self.inner.decompress(self.left, most)
        except zlib.error:
            return self._ended("it is damaged from here on" if self.given else "it cannot be unpacked")
        self.left, self.begun = self.inner.unconsumed_tail, not self.inner.eof
        if self.inner.eof:
            # Files that were written one after the other follow each other.
            self.left, self.inner = self.inner.unused_data.lstrip(b"\x00"), zlib.decompressobj(GZIP)
            if self.left and not MAGIC.startswith(self.left[:3]):
                self.over = True
        self.given += len(out)
        if self.given > LARGEST or (self.given > FREE and self.given > RATIO * self.taken):
            self._ended(f"it was packed too tightly to be a log: {self.given >> 20} MiB of it were read")
        return out

    def _more(self) -> bool:
        self.left = self.handle.read(READ)
        self.taken += len(self.left)
        if not self.left:
            self._ended("it is cut off" if self.begun else "")
        return bool(self.left)

    def _ended(self, why: str) -> bytes:
        self.cut, self.over = why, True
        return b""

    def close(self) -> None:
        self.handle.close()
        super().close()


def unpacking(handle: BinaryIO) -> BinaryIO:
    """A packed file, read as what is in it."""
    return cast(BinaryIO, io.BufferedReader(Unpacked(handle), PART))


def cut_off(handle: BinaryIO) -> str:
    """Why a file that was read to its end has more in it; empty where it has not."""
    raw = getattr(handle, "raw", None)
    return raw.cut if isinstance(raw, Unpacked) else ""


def text_in(path: str | os.PathLike[str], head: bytes, most: int) -> int | None:
    """About how many bytes of text a packed file holds, and exactly how many where they are few; None for no text."""
    if not head.startswith(MAGIC):
        return None
    with open(path, "rb") as packed, unpacking(packed) as handle:
        begin = handle.read(most + 1)
        # Archives and arrays have NUL early on.
        if not begin or b"\x00" in begin:
            return None
        if len(begin) <= most:
            return len(begin)
        packed.seek(-4, os.SEEK_END)
        return max(len(begin), int.from_bytes(packed.read(4), "little"))
