"""A new root in which every file can be read where it was, and every write goes to the scratch.

Each folder of the root, and each writable mount below, gets an overlay whose upper layer is on the scratch disk. The
root itself, and in a user namespace every folder with mounts below it (the kernel refuses an overlay on those), is
made anew as a plain folder that holds the rest. What refuses an overlay is shown read-only, and that is noted.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat

from . import kernel
from .table import Mount, holds_mounts, inside, is_own

OVERLAY = kernel.MS_NOSUID | kernel.MS_NODEV
# A file that lies beside a mount is copied up to this size, and read-only above it.
SMALL = 8 * 1024**2
# Below the folders of others, this deep, are those that a user may have of their own.
DEPTH, MOST_LOOKED_AT = 3, 2000
SYSTEM = frozenset(("/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot"))
SHARED_MEMORY = "/dev/shm"


class Layers:
    """Builds the new root and keeps account of what lies where."""

    def __init__(self, base: str, table: list[Mount], locked: bool, places: list[str]) -> None:
        self.base = base
        self.table = table
        self.locked = locked
        """Whether this is a user namespace: mounts cannot be parted from what they lie on, others own nothing."""
        self.places = places
        """Folders that the command is likely to write to; without the first of them there is no use in going on."""
        self.root = os.path.join(base, "root")
        self.made: list[tuple[str, str]] = []
        """Each folder with an upper layer, and that layer."""
        self.placed: dict[str, tuple[str, int, int]] = {}
        """Files that were copied: where to, and the time and size of the copy."""
        self.rebuilt: set[str] = set()
        self.notes: list[str] = []
        self.numbers = itertools.count()

    def new(self, path: str) -> str:
        """Where a path lies until the new root is the root."""
        return self.root + path if path != "/" else self.root

    def build(self) -> None:
        """Every mount, parents first, so that each finds its place in the layer below."""
        os.makedirs(os.path.join(self.base, "layers"))
        self.rebuild("/")
        kernel.bind(self.root, self.root)
        for path in entries("/"):
            self.fill(path)
        if not any(mount.point == "/dev" for mount in self.table):
            kernel.bind("/dev", self.new("/dev"))
        for mount in self.table:
            if mount.point not in self.rebuilt and os.path.lexists(self.new(mount.point)):
                self.show(mount)
        self.share_memory()

    def rebuild(self, folder: str) -> None:
        """A plain folder in the likeness of one that cannot have an overlay."""
        os.mkdir(self.new(folder))
        self._liken(folder, self.new(folder))
        self.rebuilt.add(folder)

    def fill(self, path: str) -> None:
        """Give one entry of a rebuilt folder its place."""
        point = next((mount for mount in self.table if mount.point == path), None)
        new = self.new(path)
        if os.path.islink(path):
            os.symlink(os.readlink(path), new)
        elif not os.path.isdir(path):
            self.fill_file(path, point is not None)
        elif path in ("/dev", self.base) or (point is not None and (point.pseudo or not point.writable)):
            os.mkdir(new)
        elif not os.access(path, os.X_OK):
            os.mkdir(new)
            kernel.bind(path, new)
        elif self.locked and holds_mounts(path, self.table):
            self.rebuild(path)
            for entry in entries(path):
                self.fill(entry)
        else:
            os.mkdir(new)
            if point is None:
                self.cover(path)

    def fill_file(self, path: str, point: bool) -> None:
        status = os.lstat(path)
        regular = stat.S_ISREG(status.st_mode)
        writable = os.access(path, os.W_OK)
        if regular and not point and status.st_size <= SMALL and writable and os.access(path, os.R_OK):
            self.copy(path, self.new(path))
            self.note_placed(path, self.new(path))
            return
        with open(self.new(path), "wb"):
            pass
        if not point:
            self.show_read_only(path, (), say=regular and writable and os.path.dirname(path) != "/")

    def copy(self, path: str, to: str) -> None:
        import shutil

        shutil.copy2(path, to)

    def note_placed(self, path: str, copy: str) -> None:
        status = os.stat(copy)
        self.placed[path] = (copy, status.st_mtime_ns, status.st_size)

    def cover(self, folder: str, words: tuple[str, ...] = ()) -> None:
        """An overlay over one folder; read-only where none can be made."""
        upper, work = self._layer(folder)
        try:
            self._mount(folder, upper, work)
            self.made.append((folder, upper))
        except OSError as error:
            if inside(self.places[0], folder) or error.errno == errno.ENODEV:
                raise
            self.show_read_only(folder, words, say=os.access(folder, os.W_OK))

    def _layer(self, folder: str) -> tuple[str, str]:
        upper = os.path.join(self.base, "layers", str(next(self.numbers)))
        work = f"{upper}.work"
        os.mkdir(upper)
        os.mkdir(work)
        if self.locked:
            own = [place for place in self.places if inside(place, folder)]
            for place in [*writable_below(folder), *own]:
                self._make_way(folder, place, upper)
        self._liken(folder, upper)
        return upper, work

    def _make_way(self, folder: str, place: str, upper: str) -> None:
        """Make, in the upper layer, the folders of others that lead to one that the user may write to.

        The kernel would copy them up as they are, and cannot: their owners are unknown in a user namespace.
        """
        names = os.path.relpath(place, folder).split("/")
        for number in range(1, len(names) + 1):
            inner = os.path.join(*names[:number])
            if is_own(os.path.join(folder, inner)):
                continue
            if not os.path.isdir(os.path.join(upper, inner)):
                os.makedirs(os.path.join(upper, inner))
                self._liken(os.path.join(folder, inner), os.path.join(upper, inner))

    def _liken(self, folder: str, made: str) -> None:
        """Give a folder the looks of another; one that the user could not write to stays so, though it is theirs."""
        status = os.stat(folder)
        mode = stat.S_IMODE(status.st_mode)
        with contextlib.suppress(OSError):
            os.chown(made, status.st_uid, status.st_gid)
        os.chmod(made, mode if os.access(folder, os.W_OK) else mode & ~0o222)
        os.utime(made, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _mount(self, folder: str, upper: str, work: str) -> None:
        held = os.open(folder, os.O_PATH)
        # A name with a comma or a colon has another meaning to the kernel; a number has not.
        options = f"lowerdir=/proc/self/fd/{held},upperdir={upper},workdir={work}"
        further = (",userxattr",) if self.locked else (",redirect_dir=on", "")
        try:
            for one in further:
                try:
                    return kernel.mount("overlay", self.new(folder), "overlay", OVERLAY, options + one)
                except OSError as error:
                    if one == further[-1]:
                        raise OSError(error.errno, f"{folder}: {error.strerror}") from error
        finally:
            os.close(held)

    def show(self, mount: Mount) -> None:
        """One mount in its place: as it is where nothing of the user's can be changed, else under an overlay."""
        above = [m for m in self.table if m.point != mount.point and inside(mount.point, m.point)]
        if mount.point == SHARED_MEMORY or any(m.pseudo for m in above):
            return  # it came along with what it lies on
        if mount.pseudo or not mount.writable:
            kernel.bind(mount.point, self.new(mount.point))
        elif not os.path.isdir(mount.point):
            self.show_file(mount)
        else:
            self.cover(mount.point, mount.words)

    def show_file(self, mount: Mount) -> None:
        """A mount of a single file is a copy of it, or cannot be written to."""
        if os.path.getsize(mount.point) > SMALL or not os.access(mount.point, os.R_OK):
            return self.show_read_only(mount.point, mount.words)
        copy = os.path.join(self.base, "files", str(len(self.placed)))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        self.copy(mount.point, copy)
        kernel.bind(copy, self.new(mount.point))
        self.note_placed(mount.point, copy)
        return None

    def show_read_only(self, path: str, words: tuple[str, ...], say: bool = True) -> None:
        kernel.bind(path, self.new(path))
        own = max((m for m in self.table if inside(path, m.point)), key=lambda m: len(m.point)).words
        kernel.make_read_only(self.new(path), list(words or own))
        if say:
            self.notes.append(f"{path} takes no overlay, so it could only be read")

    def share_memory(self) -> None:
        """Shared memory of its own, on top of what is there: data that the user keeps in memory stays in sight."""
        target = self.new(SHARED_MEMORY)
        if not os.path.isdir(target):
            return
        kernel.mount("shm", target, "tmpfs", OVERLAY, "mode=1777")
        if not os.listdir(SHARED_MEMORY):
            return
        upper, work = os.path.join(target, "upper"), os.path.join(target, "work")
        os.mkdir(upper)
        os.mkdir(work)
        os.chmod(upper, 0o1777)
        held = [os.open(SHARED_MEMORY, os.O_PATH), os.open(upper, os.O_PATH), os.open(work, os.O_PATH)]
        lower, above, beside = (f"/proc/self/fd/{one}" for one in held)
        options = f"lowerdir={lower},upperdir={above},workdir={beside}" + (",userxattr" if self.locked else "")
        try:
            kernel.mount("overlay", target, "overlay", OVERLAY, options)
        except OSError:
            os.rmdir(upper)
            os.rmdir(work)
            self.notes.append(f"what lies in {SHARED_MEMORY} could not be shown")
        for one in held:
            os.close(one)


def entries(folder: str) -> list[str]:
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def writable_below(folder: str) -> list[str]:
    """Folders that the user may write to, below those of others; a bounded look, as it is taken at every start."""
    found: list[str] = []
    looked = 0
    waiting = [(folder, 1 if folder in SYSTEM else DEPTH)]
    while waiting and looked < MOST_LOOKED_AT:
        above, depth = waiting.pop(0)
        try:
            with os.scandir(above) as scanned:
                inner = [entry.path for entry in scanned if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        looked += len(inner)
        found += [path for path in inner if os.access(path, os.W_OK | os.X_OK)]
        if depth > 1:
            waiting += [(path, depth - 1) for path in inner if not is_own(path)]
    return found
