"""A bundle read back: its runs as they were read where it was made, and what the probes saw there."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from stetho import codec
from stetho.artifact import Artifact
from stetho.bundles import archive
from stetho.bundles.archive import is_packed
from stetho.bundles.manifest import FACTS, FILES, MANIFEST, PROBED, READINGS, SCHEMA, Manifest, StoredArtifact
from stetho.bundles.stored import facts_in, pieces_in
from stetho.errors import BadRequest
from stetho.logged.runs import Run, runs_in
from stetho.logged.walk import Left
from stetho.probing import Report

__all__ = ["Bundle", "is_bundle", "is_packed", "read"]

T = TypeVar("T")
# Nothing can be opened below this path, so that no name in a bundle leads to a file of this machine.
NOWHERE = Path(os.devnull)
BEGINS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"stetho\.bundle/')


@dataclass(frozen=True)
class Bundle:
    """What an archive holds, its checksums verified."""

    path: Path
    manifest: Manifest
    members: Mapping[str, bytes]

    @cached_property
    def runs(self) -> list[Run]:
        """The runs, as the readers would have them where the bundle was made."""
        try:
            left = [self._left(one) for one in self.manifest.artifacts]
            known = defaultdict(list)
            for run, fact in facts_in(self.members.get(FACTS, b"").splitlines()):
                known[run].append(fact)
            found = runs_in(elsewhere(self.manifest.folder), left)
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            raise self._odd(error) from error
        return [replace(run, known=tuple(known[run.name])) for run in found]

    @property
    def report(self) -> Report:
        """What the probes saw."""
        if PROBED not in self.members:
            raise BadRequest(f"'{self.path}' holds nothing that probes saw")
        return self._decoded(Report, self.members[PROBED])

    def _left(self, one: StoredArtifact) -> Left:
        artifact = Artifact(one.name, elsewhere(one.path), one.size, one.modified, one.folder)
        return Left(artifact, one.reader, tuple(pieces_in(self.members[one.readings].splitlines())))

    def _decoded(self, kind: type[T], data: bytes) -> T:
        try:
            return codec.checked(codec.decode(kind, json.loads(data)))
        except (ValueError, TypeError, RecursionError) as error:
            raise self._odd(error) from error

    def _odd(self, error: Exception) -> BadRequest:
        words = f"{type(error).__name__}: {error}"[:200]
        return BadRequest(f"'{self.path}' cannot be read as a bundle ({words}); a newer stetho may have made it")


def elsewhere(path: str) -> Path:
    """A path of another machine: it has its parts, and nothing is there."""
    return NOWHERE / path.replace("\0", "").lstrip("/")


def is_bundle(path: Path) -> bool:
    """Whether a file, or a folder into which one was unpacked, is a bundle; told by content."""
    try:
        if path.is_dir():
            with (path / MANIFEST).open("rb") as handle:
                return BEGINS.match(handle.read(200)) is not None
        if not is_packed(path):
            return False
        return any(name == MANIFEST and BEGINS.match(data) for name, data in archive.members(path))
    except OSError:
        return False
    except BadRequest:
        # One that is damaged is still one when it begins as one; what is wrong with it is said when it is read.
        return _begins(path)


def _begins(path: Path) -> bool:
    try:
        name, data = next(iter(archive.members(path)))
    except (BadRequest, StopIteration):
        return False
    return name == MANIFEST and BEGINS.match(data) is not None


def read(path: Path) -> Bundle:
    """A bundle, checked against its own manifest; raises BadRequest, which says what is wrong with it."""
    members = dict(unpacked(path)) if path.is_dir() else dict(archive.members(path))
    bundle = Bundle(path, Manifest("", "", "", False, None, (), (), ()), members)
    manifest = bundle._decoded(Manifest, members.get(MANIFEST, b"{}"))
    if manifest.schema != SCHEMA:
        made = f"version '{manifest.schema[:40]}', made by stetho {manifest.stetho[:20]}"
        raise BadRequest(f"'{path}' is a bundle of {made}; this stetho reads {SCHEMA}")
    for one in manifest.members:
        data = members.get(one.name)
        if data is None:
            raise BadRequest(f"'{path}' lacks '{one.name}', so it is not whole; make it again")
        if hashlib.sha256(data).hexdigest() != one.sha256:
            raise BadRequest(f"'{path}': '{one.name}' was changed after the bundle was made; make it again")
    listed = {one.name for one in manifest.members}
    return Bundle(path, manifest, {name: data for name, data in members.items() if name in listed})


def unpacked(folder: Path) -> list[tuple[str, bytes]]:
    """The members of a bundle that somebody has unpacked; links are not followed."""
    found, left = [], archive.MOST_BYTES
    names = [f"{place}/{name}" if place else name for place in ("", READINGS, FILES) for name in _names(folder / place)]
    for name in names:
        if name.split("/")[-1].startswith("."):
            continue
        try:
            with open(os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as handle:
                data = handle.read(left + 1)
        except OSError:
            continue
        left -= len(data)
        if left < 0:
            raise BadRequest(f"'{folder}' has more than {archive.MOST_BYTES >> 20} MB: that is no bundle")
        found.append((name, data))
    return found


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    except OSError:
        return []
