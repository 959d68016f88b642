"""The table of mounts: which there are, of what kind, and whether they can be written to."""

from __future__ import annotations

import os
import re

# What the kernel itself shows as files; there is nothing of the user's in them.
PSEUDO = frozenset(
    ("proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2", "mqueue", "debugfs", "tracefs", "securityfs", "bpf",
     "pstore", "efivarfs", "configfs", "fusectl", "hugetlbfs", "binfmt_misc", "rpc_pipefs", "nsfs", "selinuxfs",
     "autofs"),
)  # fmt: skip


class Mount:
    """One line of mountinfo."""

    def __init__(self, point: str, kind: str, words: tuple[str, ...], options: tuple[str, ...]) -> None:
        self.point = point
        self.kind = kind
        self.words = words
        """Its attributes, such as ro and nosuid."""
        self.options = options
        """Those of its file system."""

    @property
    def writable(self) -> bool:
        return "ro" not in self.words and "ro" not in self.options

    @property
    def pseudo(self) -> bool:
        return self.kind in PSEUDO


def inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text)


def mounts(file: str = "/proc/self/mountinfo") -> list[Mount]:
    """Every mount that can be reached, parents first; what lies hidden under another one is left out."""
    found = []
    with open(file, encoding="utf-8", errors="surrogateescape") as handle:
        for line in handle:
            fields, _, rest = line.partition(" - ")
            words, kind = fields.split(), rest.split()
            point = unescaped(words[4])
            if words[0] == _number_at(point):
                found.append(Mount(point, kind[0], tuple(words[5].split(",")), tuple(kind[-1].split(","))))
    return sorted(found, key=lambda mount: len(mount.point))


def _number_at(point: str) -> str | None:
    """The number of the mount that a path leads to."""
    try:
        descriptor = os.open(point, os.O_PATH | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as handle:
            return next((line.split()[1] for line in handle if line.startswith("mnt_id:")), None)
    finally:
        os.close(descriptor)


def holds_mounts(folder: str, table: list[Mount]) -> bool:
    return any(inside(mount.point, folder) and mount.point != folder for mount in table)


def is_own(folder: str) -> bool:
    """Whether files made in its likeness can be ours: an owner that a user namespace does not know cannot be set."""
    status = os.lstat(folder)
    return status.st_uid == os.getuid() and status.st_gid == os.getgid()
