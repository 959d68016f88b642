"""What a real run prints, as far as it can be read again; only the end of it is kept, for the readers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

# A traceback is short; a log may have gigabytes.
LARGEST = 512 * 1024


class Kept:
    """The end of what passes through our hands, on disk at all times."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.size = 0

    def add(self, data: bytes) -> None:
        """Append; twice the limit, and the older half goes. A full disk must not end the run."""
        with contextlib.suppress(OSError):
            with self.file.open("ab") as handle:
                handle.write(data)
                self.size = handle.tell()
            if self.size > 2 * LARGEST:
                self.file.write_bytes(_end(self.file, 0))


class Elsewhere:
    """Streams that the program writes to past us: those that go to ordinary files can be read afterwards."""

    def __init__(self) -> None:
        self.begun = dict(_ordinary_files())

    def copy_to(self, file: Path) -> bool:
        """Copy the end of what was written since; whether there was any such file."""
        found = False
        with contextlib.suppress(OSError), file.open("wb") as out:
            for path, start in self.begun.items():
                out.write(_end(path, start))
                found = True
        if not found:
            file.unlink(missing_ok=True)
        return found


def _ordinary_files() -> Iterator[tuple[Path, int]]:
    """The files behind standard output and error, and where the program begins to write in them."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(number).st_mode):
                path = Path(os.readlink(f"/proc/self/fd/{number}"))
                appends = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_APPEND
                yield path, os.fstat(number).st_size if appends else os.lseek(number, 0, os.SEEK_CUR)


def _end(file: Path, start: int) -> bytes:
    with file.open("rb") as handle:
        size = handle.seek(0, os.SEEK_END)
        handle.seek(max(start, size - LARGEST))
        return handle.read(LARGEST)
