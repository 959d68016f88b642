"""The files of a run's folder, looked at within bounds: how many, how deep, how long."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST = 20_000
DEEPEST = 6
# Folders that hold no artifacts of a run, and may hold a hundred thousand files.
PASSED = {".git", ".hg", "__pycache__", "node_modules", ".venv", "venv", "site-packages", ".stetho", ".mypy_cache",
          ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".tox"}  # fmt: skip
# What the kernel shows as files is none of a run's.
KERNELS = {"/proc", "/sys", "/dev", "/run"}


@dataclass(frozen=True)
class Entry:
    """A regular file below the folder."""

    path: str
    size: int
    modified: float
    blocks: int = 0
    """Bytes that it takes on disk."""


@dataclass(frozen=True)
class Walk:
    """What was found, and whether it was everything."""

    entries: tuple[Entry, ...]
    whole: bool


def walk(folder: Path, seconds: float = 0.6, most: int = MOST) -> Walk:
    """The regular files below a folder, nearest first; links are not followed, so that loops end."""
    found: list[Entry] = []
    until = time.monotonic() + seconds
    level, depth, whole = [str(folder)], 0, True
    while level and depth < DEEPEST:
        below: list[str] = []
        for place in level:
            for entry in _entries(place):
                if len(found) >= most or time.monotonic() > until:
                    return Walk(tuple(found), False)
                if isinstance(entry, Entry):
                    found.append(entry)
                else:
                    below.append(entry)
        level, depth = below, depth + 1
    return Walk(tuple(found), whole and not level)


def _entries(place: str) -> Iterator[Entry | str]:
    try:
        with os.scandir(place) as listing:
            for one in listing:
                try:
                    known = one.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISDIR(known.st_mode):
                    if one.name not in PASSED and one.path not in KERNELS:
                        yield one.path
                elif stat.S_ISREG(known.st_mode):
                    yield Entry(one.path, known.st_size, known.st_mtime, known.st_blocks * 512)
    except OSError:
        return


# What people write while they look for a fault, and no run does.
SOURCES = (".py", ".pyc", ".ipynb", ".md", ".sh")


def last_written(folder: Path, seconds: float = 0.4) -> float | None:
    """When a file of the folder that is no source was last written; None when there is none."""
    written = (one.modified for one in walk(folder, seconds).entries if not one.path.endswith(SOURCES))
    return max(written, default=None)
