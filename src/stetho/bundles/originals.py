"""The files of a run's folder as they were: sizes, times and checksums; nothing outside of it is opened."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from stetho.artifact import Artifact
from stetho.bundles.manifest import Original
from stetho.logged.walk import DEEPEST, MOST_FILES, PASSED_OVER

# Bytes of one file, and of all, that checksums are worked out of: weights can take hours.
LARGEST, MOST = 1 << 30, 4 << 30
KINDS = {stat.S_IFSOCK: "a socket", stat.S_IFIFO: "a pipe", stat.S_IFBLK: "a device", stat.S_IFCHR: "a device"}


def within(root: Path, path: Path) -> bool:
    """Whether a path, followed to its end, is still in a folder."""
    real = os.path.realpath(path)
    return os.path.commonpath([real, os.path.realpath(root)]) == os.path.realpath(root)


def inside(root: Path, artifact: Artifact) -> bool:
    """Whether nothing that a reader would open of an artifact lies outside of a folder."""
    links = (path for path in _below(artifact.path) if path.is_symlink()) if artifact.folder else ()
    return within(root, artifact.path) and all(within(root, link) for link in links)


def originals(root: Path, skip: Callable[[Path], bool], progress: Callable[[str], None]) -> Iterator[Original]:
    """Everything below a folder but what is passed over, in the order of the names."""
    room = MOST
    for number, path in enumerate(_below(root)):
        if number >= MOST_FILES:
            return
        if skip(path):
            continue
        progress(f"checksum of {path}")
        one, read = _original(root, path, room)
        room -= read
        yield one


def _below(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root, followlinks=False):
        here = Path(folder)
        deep = len(here.relative_to(root).parts) >= DEEPEST
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = [] if deep else sorted(name for name in folders if name not in PASSED_OVER and name not in links)
        yield from (here / name for name in sorted([*files, *links]))


def _original(root: Path, path: Path, room: int) -> tuple[Original, int]:
    place = str(path.relative_to(root))
    try:
        known = path.lstat()
        size, modified = known.st_size, known.st_mtime
        if stat.S_ISLNK(known.st_mode):
            where = "inside" if within(root, path) else "outside of the folder, so it was not followed"
            return Original(place, 0, modified, note=f"a link that leads {where}"), 0
        if not stat.S_ISREG(known.st_mode):
            return Original(place, 0, modified, note=KINDS.get(stat.S_IFMT(known.st_mode), "no file")), 0
        if size > LARGEST or size > room:
            return Original(place, size, modified, note="too large for a checksum"), 0
        return Original(place, size, modified, checksum(path)), size
    except OSError as error:
        return Original(place, 0, 0.0, note=f"cannot be read: {error.strerror or error}"), 0


def checksum(path: Path) -> str:
    digest = hashlib.sha256()
    # A file that was changed for a link or a pipe since it was looked at is not followed, and not waited for.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as handle:
        while part := handle.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
