"""One thing that a run left on disk: its name, its first bytes, and ways to read it that trust none of them."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

from stetho.packed import text_in, unpacking

HEAD = 64 * 1024
# What a folder holds is looked at by name, and never all of a folder that has a million files.
MOST_NAMES = 10_000
# A line longer than this is cut; nothing that says something is as long.
LONGEST = 16 * 1024


# How text of two bytes a letter begins.
# What a log that comes on standard input is called.
PASTED = "standard input"
WIDE = (b"\xff\xfe", b"\xfe\xff")
# Bytes that nobody writes into a log: controls beside tabs, line ends, bells, colours and steps back.
UNWRITTEN = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f]")


class Narrowed(io.RawIOBase):
    """UTF-16 read as UTF-8, some at a time."""

    def __init__(self, handle: BinaryIO) -> None:
        self.handle, self.left = handle, b""
        self.decoder = codecs.getincrementaldecoder("utf-16")("replace")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self.left) < size:
            part = self.handle.read(1 << 20)
            self.left += self.decoder.decode(part, final=not part).encode("utf-8", "replace")
            if not part:
                break
        size = len(self.left) if size < 0 else size
        out, self.left = self.left[:size], self.left[size:]
        return out

    def readinto(self, buffer: Any) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self.handle.close()
        super().close()


class Watched:
    """An open file that says how many bytes have been read of it."""

    def __init__(self, handle: BinaryIO, told: Callable[[int], None]) -> None:
        self.handle, self.told, self.passed = handle, told, 0

    def read(self, size: int = -1) -> bytes:
        part = self.handle.read(size)
        self.passed += len(part)
        self.told(self.passed)
        return part

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.handle.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.handle, name)


@dataclass(frozen=True)
class Artifact:
    """A file or a folder. It is recognised by what is in it; its name is for people to find it."""

    name: str
    """How the user knows it."""
    path: Path
    size: int
    """Its bytes; 0 for a folder."""
    modified: float
    """When it was last written, in seconds since 1970."""
    folder: bool = False
    packed: bool = False
    """Whether it is text that was packed with gzip; it is read as what is in it, and that is what `size` counts."""
    told: Callable[[int], None] | None = field(default=None, compare=False, repr=False)
    """Who wants to know how many bytes have been read, where it may take a while."""

    @cached_property
    def head(self) -> bytes:
        """The first bytes of a file; empty for a folder and for what cannot be read."""
        return self.part(0, HEAD)

    @cached_property
    def names(self) -> frozenset[str]:
        """What a folder holds."""
        if not self.folder:
            return frozenset()
        try:
            with os.scandir(self.path) as entries:
                return frozenset(entry.name for _, entry in zip(range(MOST_NAMES), entries, strict=False))
        except OSError:
            return frozenset()

    @property
    def is_text(self) -> bool:
        """Whether it begins with text, of wide letters or not.

        A log that a crash or a network disk tore has stretches of NUL in it. Binary formats have NUL early on, too, but
        other bytes beside it that no text has.
        """
        if b"\x00" not in self.head or self.head.startswith(WIDE):
            return bool(self.head)
        rest = self.head.replace(b"\x00", b"")
        return b"\n" in rest and UNWRITTEN.search(rest) is None

    def opened(self) -> BinaryIO:
        """Its bytes from the first on; text of wide letters, as some consoles write it, as any other."""
        handle: BinaryIO = self.path.open("rb")
        if self.packed:
            handle = unpacking(handle)
        if self.told is not None:
            handle = cast(BinaryIO, Watched(handle, self.told))
        if self.packed:
            return handle
        return cast(BinaryIO, Narrowed(handle)) if self.head.startswith(WIDE) else handle

    def part(self, offset: int, size: int) -> bytes:
        """Some of its bytes; fewer where it ends, none where it cannot be read."""
        if self.folder:
            return b""
        try:
            with self.path.open("rb") as handle:
                if self.packed:
                    return _part(unpacking(handle), offset, size)
                handle.seek(offset)
                return handle.read(size)
        except OSError:
            return b""

    def lines(self) -> Iterator[str]:
        """Its lines as text, whatever bytes they hold, each cut at a length that a reader can bear."""
        if self.folder:
            return
        try:
            handle: BinaryIO = self.path.open("rb")
            if self.packed:
                handle = unpacking(handle)
            elif self.head.startswith(WIDE):
                handle = io.BufferedReader(Narrowed(handle))
        except OSError:
            return
        with handle:
            while line := handle.readline(LONGEST):
                whole = line
                while whole and not whole.endswith(b"\n"):
                    # The rest of a line that is too long is passed over.
                    whole = handle.readline(LONGEST)
                yield line.decode("utf-8", "backslashreplace")


def _part(handle: BinaryIO, offset: int, size: int) -> bytes:
    """Some bytes of what can only be read from its beginning."""
    while offset > 0 and (passed := handle.read(min(offset, HEAD))):
        offset -= len(passed)
    return handle.read(size)


def unpacked(artifact: Artifact) -> Artifact:
    """The artifact, as the text in it where it is packed."""
    try:
        size = None if artifact.folder else text_in(artifact.path, artifact.head, HEAD)
    except OSError:
        return artifact
    return artifact if size is None else replace(artifact, size=size, packed=True)


def artifact_at(path: Path, name: str | None = None) -> Artifact | None:
    """The file or folder at a path; None for what is neither, as a device or a pipe, which reading could block."""
    try:
        known = path.stat()
    except OSError:
        return None
    folder = stat.S_ISDIR(known.st_mode)
    if not folder and not stat.S_ISREG(known.st_mode):
        return None
    return Artifact(name or str(path), path, 0 if folder else known.st_size, known.st_mtime, folder)
