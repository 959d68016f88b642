"""What a bundle says of itself: its members, what was read, every file of the run, and what was cut."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "stetho.bundle/1"
MANIFEST, PROBED, FACTS = "manifest.json", "probe.json", "facts.json"
READINGS, FILES = "readings", "files"


@dataclass(frozen=True)
class Member:
    """A file of the archive."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class StoredArtifact:
    """A file or folder of the run that a reader knew."""

    name: str
    """How the user knew it."""
    path: str
    """Where it lay, as `folder` is given."""
    size: int
    modified: float
    folder: bool
    reader: str
    readings: str
    """The member that has what was read of it."""
    text: str = ""
    """The member that has its text or the parts of it that are worth reading; empty for what is not text."""
    cut: str = ""
    """What of its text was left out; empty when all of it is there."""


@dataclass(frozen=True)
class Original:
    """A file of the run's folder as it was."""

    path: str
    """Below the folder."""
    size: int
    modified: float
    sha256: str = ""
    """Empty where it was not worked out; `note` says why."""
    note: str = ""


@dataclass(frozen=True)
class Manifest:
    """The first member of a bundle."""

    schema: str
    stetho: str
    """The version that made it."""
    folder: str
    """The run's folder, as it was given."""
    users_hidden: bool
    points: int | None
    """The most points that are kept of one series; None when all are. Where some are not, `facts.json` has what was
    worked out from all of them."""
    artifacts: tuple[StoredArtifact, ...]
    members: tuple[Member, ...]
    """Every other file of the archive."""
    originals: tuple[Original, ...]
    left_out: tuple[str, ...] = ()
    """What the bundle does not have, in words."""
