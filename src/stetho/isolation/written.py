"""What a run has written, and where it would have: a list of all of it, and the files themselves within bounds."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stetho.isolation.likeness import ORIGINALS
from stetho.scratch import Scratch, Spec

LIST, FOLDER = "written.json", "written"
# Bytes that are kept of an unchanged run, and of one under a change; how many files are listed.
MOST, MOST_OF_A_CHANGED_RUN, LISTED = 64 * 1024**2, 8 * 1024**2, 5000


@dataclass(frozen=True)
class Written:
    """One file that a run has written or removed, by the user's path."""

    path: str
    bytes: int = 0
    removed: bool = False
    kept: bool = False


@dataclass(frozen=True)
class Found:
    """A file in the scratch, and the path that the run knew it by."""

    path: str
    file: Path
    status: os.stat_result

    @property
    def rank(self) -> tuple[int, float]:
        """Small files first, and of those of about one size the newest."""
        return self.status.st_size.bit_length() // 2, -self.status.st_mtime


def keep(scratch: Scratch, spec: Spec, most: int) -> None:
    """Move what was written beside the recording, so that it is kept with it; the rest is only listed."""
    removed, found = [], []
    for one in in_layers(scratch, spec) if scratch.way.overlay else in_copies(scratch):
        if isinstance(one, str):
            removed.append(Written(one, removed=True))
        else:
            found.append(one)
    written = list(_moved(sorted(found, key=lambda one: one.rank), scratch.recording / FOLDER, most))
    if not written and not removed:
        return
    files = [asdict(one) for one in [*written, *removed]]
    body = {"files": files[:LISTED], "more": max(0, len(files) - LISTED)}
    (scratch.recording / LIST).write_text(json.dumps(body, indent=1))


def _moved(found: Sequence[Found], to: Path, most: int) -> Iterator[Written]:
    for one in found:
        size = one.status.st_size
        kept = False
        if size <= most:
            target = to / one.path.lstrip("/")
            with contextlib.suppress(OSError):
                target.parent.mkdir(parents=True, exist_ok=True)
                os.rename(one.file, target)
                os.chmod(target, 0o644)
                kept = True
                most -= size
        yield Written(one.path, size, kept=kept)


def in_layers(scratch: Scratch, spec: Spec) -> Iterator[Found | str]:
    """What lies in the upper layers, and the names of what they hide as removed."""
    report = scratch.report()
    edited = dict(spec.edits)
    for folder, upper in _pairs(report.get("layers")):
        for file, status in _files(Path(upper)):
            path = os.path.join(folder, os.path.relpath(file, upper))
            if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
                yield path
            elif stat.S_ISREG(status.st_mode) and not _is_edit(file, edited.get(path)):
                yield Found(path, file, status)
    placed = report.get("placed")
    known = {str(p): (str(c), int(m), int(n)) for p, (c, m, n) in placed.items()} if isinstance(placed, dict) else {}
    yield from _changed({copy: (path, modified, size) for path, (copy, modified, size) in known.items()})
    root = scratch.base / "root"
    for file, status in _files(root):
        path = "/" + os.path.relpath(file, root)
        # An empty file stands under the mount of another one.
        stands_in = status.st_size == 0 and os.path.lexists(path)
        if path not in known and stat.S_ISREG(status.st_mode) and not stands_in:
            yield Found(path, file, status)


def in_copies(scratch: Scratch) -> Iterator[Found | str]:
    """What differs, in the copies, from how they were made; and what lies in the home that stands in for the user's."""
    try:
        placed = json.loads((scratch.base / ORIGINALS).read_text())["placed"]
    except (OSError, ValueError, LookupError):
        return

    def users(path: str) -> str:
        for copy, original in (*scratch.renamed, (str(scratch.base / "home"), os.path.expanduser("~"))):
            if path.startswith(copy + os.sep):
                return original + path[len(copy) :]
        return path

    yield from _changed({path: (users(path), modified, size) for path, (modified, size) in placed.items()})
    for folder in (*(copy for copy, _ in scratch.renamed), str(scratch.base / "home")):
        for file, status in _files(Path(folder)):
            if str(file) not in placed and stat.S_ISREG(status.st_mode):
                yield Found(users(str(file)), file, status)


def _changed(placed: dict[str, tuple[str, int, int]]) -> Iterator[Found | str]:
    for copy, (path, modified, size) in placed.items():
        try:
            status = os.lstat(copy)
        except OSError:
            yield path
            continue
        if (status.st_mtime_ns, status.st_size) != (modified, size) and stat.S_ISREG(status.st_mode):
            yield Found(path, Path(copy), status)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every file below that is no trace of Python's own; links are not followed."""
    for inner, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            with contextlib.suppress(OSError):
                yield Path(inner) / name, os.lstat(os.path.join(inner, name))


def _is_edit(file: Path, text: str | None) -> bool:
    if text is None:
        return False
    try:
        return file.read_bytes() == text.encode("utf-8", "surrogateescape")
    except OSError:
        return False


def _pairs(layers: Any) -> list[tuple[str, str]]:
    return [(str(folder), str(upper)) for folder, upper in layers] if isinstance(layers, list) else []
