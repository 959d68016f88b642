"""Making a folder in the likeness of another: a copy that can be changed, with links to what need not be copied."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from stetho.errors import ScratchError
from stetho.isolation.room.table import inside

ORIGINALS = "originals.json"
# Larger files are linked; a folder with more entries than this is linked whole, as are all once there are too many.
LARGE, CROWDED, MOST = 8 * 1024**2, 2000, 20_000
# A copy larger than this would cost more than the answer is worth.
LARGEST_COPY = 4 * 1024**3
# What no training changes; it is linked, to be read.
NOT_COPIED = frozenset((".git", ".venv", "node_modules", ".tox", ".hg", ".svn"))
# Programs have folders of these names, too; what lies in them tells.
MAYBE_ENVIRONMENT, IN_ENVIRONMENT = frozenset(("venv", "env")), ("pyvenv.cfg", "conda-meta")
LEFT_OUT = frozenset((".stetho", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"))
FICLONE = 0x40049409


def not_copied(folder: str) -> bool:
    """Whether a folder holds installed packages or a history, which is no part of the program."""
    name = os.path.basename(folder)
    made = name in MAYBE_ENVIRONMENT and any(os.path.exists(os.path.join(folder, one)) for one in IN_ENVIRONMENT)
    return name in NOT_COPIED or made


class Likeness:
    """Copies projects and keeps account of what the copies held at first."""

    def __init__(self, linking: bool, base: Path) -> None:
        self.linking = linking
        self.base = base
        self.count = 0
        self.bytes = 0
        self.placed: dict[str, tuple[int, int]] = {}
        """Each file of the copies, with its time and size."""
        self.linked: dict[str, tuple[int, int]] = {}
        """Each original that a large file's link leads to, with its time and mode, which no kernel protects."""
        self.notes: list[str] = []

    def make(self, original: str, copy: str, pairs: Sequence[tuple[str, str]]) -> None:
        """The whole of one project, the upper folders first: if something is linked for want of room, it lies deep."""
        waiting = deque([(original, copy)])
        folders = []
        while waiting:
            source, target = waiting.popleft()
            try:
                with os.scandir(source) as scanned:
                    inner = [entry for entry in scanned if entry.name not in LEFT_OUT]
            except OSError:
                self.notes.append(f"{source} cannot be read and is missing in the copy")
                continue
            if source != original and self._too_many(len(inner), source):
                os.symlink(source, target)
                continue
            os.mkdir(target)
            folders.append((source, target))
            for entry in inner:
                new = os.path.join(target, entry.name)
                if entry.is_dir(follow_symlinks=False) and not not_copied(entry.path):
                    waiting.append((entry.path, new))
                else:
                    self._place(entry, new, pairs)
        for source, target in reversed(folders):
            shutil.copystat(source, target)

    def _too_many(self, entries: int, source: str) -> bool:
        self.count += entries
        if entries <= CROWDED and self.count <= MOST:
            return False
        if not self.linking:
            return False  # the bytes decide
        self.notes.append(f"{source} holds many files and could only be read")
        return True

    def _place(self, entry: os.DirEntry[str], new: str, pairs: Sequence[tuple[str, str]]) -> None:
        status = entry.stat(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False):
            if self.linking:
                os.symlink(entry.path, new)
        elif entry.is_symlink():
            self._link(entry.path, new, pairs)
        elif stat.S_ISFIFO(status.st_mode):
            os.mkfifo(new, stat.S_IMODE(status.st_mode))
        elif stat.S_ISREG(status.st_mode):
            self._copy(entry.path, new, status)

    def _copy(self, source: str, new: str, status: os.stat_result) -> None:
        if not os.access(source, os.R_OK):
            self.notes.append(f"{source} cannot be read and is missing in the copy")
            return
        if status.st_size > LARGE and _shared_blocks(source, new):
            shutil.copystat(source, new)
            self.note(new)
            return
        if self.linking and status.st_size > LARGE:
            os.symlink(source, new)
            self.linked[source] = (status.st_mtime_ns, stat.S_IMODE(status.st_mode))
            return
        self.bytes += status.st_size
        if self.bytes > LARGEST_COPY:
            raise ScratchError(
                f"{os.path.dirname(source)} and what lies beside it hold more than {LARGEST_COPY / 1e9:.0f} GB, too "
                "much for a scratch copy, and this machine allows neither an overlay (user namespaces) nor links that "
                "cannot be written through (Landlock); run in a smaller directory"
            )
        shutil.copy2(source, new)
        self.note(new)

    def _link(self, link: str, new: str, pairs: Sequence[tuple[str, str]]) -> None:
        """A link leads where it led: to the copy of what was copied, else to the original, where that is safe."""
        target = os.path.join(os.path.dirname(link), os.readlink(link))
        real = os.path.realpath(target)
        for copy, original in pairs:
            if inside(real, original):
                os.symlink(copy + real[len(original) :], new)
                return
        if self.linking or not os.path.exists(real):
            os.symlink(os.path.abspath(target), new)
        elif os.path.isfile(real):
            self._copy(real, new, os.stat(real))
        elif os.path.isdir(real):
            self.make(real, new, pairs)

    def note(self, copy: str) -> None:
        status = os.stat(copy)
        self.placed[copy] = (status.st_mtime_ns, status.st_size)

    def write(self) -> None:
        body = {"placed": self.placed, "linked": self.linked}
        (self.base / ORIGINALS).write_text(json.dumps(body))


def _shared_blocks(source: str, new: str) -> bool:
    """A copy that costs nothing, on file systems that share blocks until one side is written to."""
    try:
        import fcntl

        with open(source, "rb") as given, open(new, "wb") as made:
            fcntl.ioctl(made.fileno(), FICLONE, given.fileno())
    except (OSError, ImportError):
        with contextlib.suppress(OSError):
            os.unlink(new)
        return False
    return True


def restore(base: Path) -> None:
    """Give originals their times and modes back: the kernel refuses to write them, but not to touch them."""
    try:
        linked = json.loads((base / ORIGINALS).read_text())["linked"]
    except (OSError, ValueError, LookupError):
        return
    for path, (modified, mode) in linked.items():
        with contextlib.suppress(OSError):
            status = os.stat(path)
            if stat.S_IMODE(status.st_mode) != mode:
                os.chmod(path, mode)
            if status.st_mtime_ns != modified:
                os.utime(path, ns=(status.st_atime_ns, modified))


def farm(source: Path, target: Path, besides: tuple[str, ...] = ()) -> None:
    """A real folder of links to each entry of another one."""
    target.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        for name in os.listdir(source):
            if name not in besides and not os.path.lexists(target / name):
                os.symlink(source / name, target / name)


def mirror(source: Path, target: Path) -> None:
    """Real folders, all the way down, of links to files; a cache too large for that is one link."""
    if not source.is_dir():
        return
    found = list(itertools.islice(_walked(source), MOST + 1))
    if len(found) > MOST:
        target.symlink_to(source)
        return
    target.mkdir(parents=True)
    for path, folder in found:
        new = target / path.relative_to(source)
        if folder:
            new.mkdir()
        else:
            # Caches link within themselves, and such links lead to the same place here.
            inner = path.is_symlink() and not os.path.isabs(os.readlink(path))
            new.symlink_to(os.readlink(path) if inner else path)


def _walked(source: Path) -> Iterator[tuple[Path, bool]]:
    for inner, folders, files in os.walk(source):
        yield from ((Path(inner) / name, not (Path(inner) / name).is_symlink()) for name in folders)
        yield from ((Path(inner) / name, False) for name in files)
