"""The run's folder on disk: room, mount, growth, the end of its log, its checkpoints as files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class DiskPlace:
    """One directory and the file system it is on."""

    path: str
    """The directory."""
    use: str
    """What it is for: `run` or `temporary`."""
    free: int
    """Bytes that this user may still write."""
    total: int
    """Bytes of the file system."""
    inodes_free: int | None = None
    """Files that can still be made; none where the file system sets no number."""
    inodes_total: int | None = None
    """Files it can hold."""
    mount: str = ""
    """Where it is mounted."""
    kind: str = ""
    """Its type, such as `ext4`, `nfs4`, `overlay`, `tmpfs`."""
    device: str = ""
    """What is mounted there."""
    read_only: bool = False
    """Whether it is mounted read-only."""
    writable: bool | None = None
    """Whether this user may write in the directory."""
    quota_used: int | None = None
    """Bytes that this user has there, where a quota is kept."""
    quota_limit: int | None = None
    """Bytes that this user may have there."""


@dataclass(frozen=True)
class Disks(Fact):
    """Room for what the run writes, and how fast it grows."""

    fact: ClassVar[str] = "disks"

    places: tuple[DiskPlace, ...]
    """The run's folder and the temporary one."""
    size: int | None = None
    """Bytes in the run's folder; none when it has too many files to count in time."""
    growth: float | None = None
    """Bytes per second that it grew by while it was watched."""
    watched: float = 0.0
    """Seconds between the two looks."""


@dataclass(frozen=True)
class LogTail(Fact):
    """The newest text file of the run's folder."""

    fact: ClassVar[str] = "log-tail"

    file: str
    """Its path below the folder."""
    age: float
    """Seconds since it was written."""
    size: int
    """Its bytes."""
    lines: tuple[str, ...]
    """Its last lines, cut at a length that can be read, secrets left out."""
    growing: bool = False
    """Whether it grew while it was looked at."""
    texts: int = 1
    """Text files of the folder that could be its log."""


@dataclass(frozen=True)
class CheckpointFile:
    """A file, or a folder of shards, that looks like a checkpoint by its name."""

    path: str
    """Its path below the folder."""
    size: int
    """Its bytes."""
    age: float
    """Seconds since it was last written."""
    files: int = 1
    """Files that it is made of."""


@dataclass(frozen=True)
class CheckpointFiles(Fact):
    """The checkpoints of the run's folder, as the file system shows them."""

    fact: ClassVar[str] = "checkpoint-files"

    newest: tuple[CheckpointFile, ...]
    """The newest ones, newest first, at most eight."""
    count: int
    """How many there are."""
    size: int
    """Bytes of all of them."""
    temporary: tuple[str, ...] = ()
    """Files beside them whose names say that a save was under way."""
