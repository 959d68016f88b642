"""Everything below a directory that a reader could know: bounded, and never out of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stetho.artifact import Artifact, artifact_at, unpacked
from stetho.reader import Flaw

if TYPE_CHECKING:
    from stetho.catalogue import Catalogue
    from stetho.reader import Piece, Reader

MOST_FILES, DEEPEST = 20_000, 12
# Stands for the reader of what could not be read.
UNREAD = ""
# What is smaller is read before anybody could look; and how often, in seconds, it is worth to look again.
LARGE, OFTEN = 8 << 20, 0.25
# Folders that hold programs and their libraries, and nothing that a run says of itself.
PASSED_OVER = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", "site-packages", ".venv", "venv",
                         ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".stetho"})  # fmt: skip
# What people write, not runs.
SOURCES = frozenset({".py", ".pyi", ".md", ".rst", ".sh", ".c", ".cc", ".cpp", ".cu", ".h", ".rs", ".js",
                     ".html", ".css", ".tex", ".lock"})  # fmt: skip


@dataclass(frozen=True)
class Left:
    """What one reader found in one artifact."""

    artifact: Artifact
    reader: str
    pieces: tuple[Piece, ...]


class TooMany(Exception):
    """There are more files than are looked at."""


def below(
    root: Path, known: Callable[[Artifact], bool], closed: Callable[[OSError], None] = lambda error: None
) -> Iterator[Artifact]:
    """The files below a folder in the order of their names, and the folders that are known as a whole.

    Links to folders are not followed, so there is no way round in a circle, and none to the rest of the machine.
    """
    count = 0
    for folder, folders, files in os.walk(root, followlinks=False, onerror=closed):
        here = Path(folder)
        depth = len(here.relative_to(root).parts)
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER) if depth < DEEPEST else []
        for name in list(folders):
            whole = artifact_at(here / name)
            if whole is not None and not (here / name).is_symlink() and known(whole):
                folders.remove(name)
                yield whole
        for name in sorted(files):
            one = artifact_at(here / name) if Path(name).suffix.lower() not in SOURCES else None
            if one is None:
                continue
            count += 1
            if count > MOST_FILES:
                raise TooMany
            yield one


def telling(artifact: Artifact, progress: Callable[[str], None]) -> Callable[[int], None]:
    """Says how much of a large file has been read, and not more often than one can look."""
    last = time.monotonic()

    def told(passed: int) -> None:
        nonlocal last
        if time.monotonic() - last >= OFTEN:
            last = time.monotonic()
            progress(f"reading {artifact.name}, {min(passed, artifact.size) / 1e6:.0f} of {artifact.size / 1e6:.0f} MB")

    return told


def pieces_of(reader: Reader, artifact: Artifact) -> Iterator[Piece]:
    """What a reader makes of an artifact. One that fails is a defect of that reader alone: the rest is still read."""
    try:
        yield from reader.function(artifact)
    except Exception as error:  # noqa: BLE001 - readers are isolated; what was caught is in the flaw
        yield Flaw(f"was not read to its end: the reader {reader.id} itself failed: {error!r}"[:300])


def read_all(
    target: Path,
    catalogue: Catalogue,
    progress: Callable[[str], None] = lambda line: None,
    wanted: Callable[[Artifact], bool] = lambda artifact: True,
) -> list[Left]:
    """What the readers make of a file or of everything below a folder that is wanted."""
    one = artifact_at(target)
    if one is None:
        return []
    found: list[Left] = []

    def unread(artifact: Artifact, why: str) -> None:
        found.append(Left(artifact, UNREAD, (Flaw(why),)))

    def closed(error: OSError) -> None:
        name = str(error.filename or target)
        unread(Artifact(name, Path(name), 0, 0.0, True), f"was not looked into: {error.strerror or error}")

    known = (
        [one]
        if not one.folder or catalogue.reader_of(one)
        else below(target, lambda a: bool(catalogue.reader_of(a)), closed)
    )
    try:
        for artifact in map(unpacked, known):
            reader = catalogue.reader_of(artifact) if wanted(artifact) else None
            if reader is not None:
                progress(f"reading {artifact.name}")
                watched = replace(artifact, told=telling(artifact, progress)) if artifact.size > LARGE else artifact
                found.append(Left(artifact, reader.id, tuple(pieces_of(reader, watched))))
            elif artifact.size and not artifact.head and not os.access(artifact.path, os.R_OK):
                unread(artifact, "was not read: permission denied")
    except TooMany:
        unread(one, f"holds more than {MOST_FILES:,} files, and the rest was not read; give a folder inside it")
    for reader_id, why in catalogue.unsure.items():
        unread(one, f"may be known to a reader that failed: {reader_id} {why}")
    catalogue.unsure.clear()
    return found
