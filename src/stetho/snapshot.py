"""What a project was like when a run began: code, settings, packages and commit, kept in the case of that run.

A later run that fails can then be compared with it, and the difference undone, without a repository.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from stetho.codec import decode, encode
from stetho.fingerprint import LARGEST_READ, NO_INPUT, READ_WHOLE
from stetho.isolation.likeness import not_copied
from stetho.regression.history import Repository

NAME, ABOUT, FILES = "project.zip", "about.json", "files/"
MOST_FILES, MOST_BYTES = 2000, 16 * 1024**2
# In a folder of so many files, looking at them would hold up the run.
MOST_LOOKED_AT = 20_000
# Files that hold secrets by custom.
PRIVATE = (".env", ".env.*", "*secret*", "*credential*", "*.pem", "*.key")
# Variables that change what a training computes; others may hold anything.
TELLING = (
    "CUDA_*", "CUBLAS_*", "TORCH_*", "PYTORCH_*", "NCCL_*", "OMP_NUM_THREADS", "MKL_*", "OPENBLAS_*", "PYTHONHASHSEED",
    "PYTHONPATH", "XLA_*", "WORLD_SIZE",
)  # fmt: skip


@dataclass(frozen=True)
class Snapshot:
    """A project at the beginning of a run."""

    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """By their paths from the working directory."""
    packages: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    commit: str | None = None


@dataclass(frozen=True)
class About:
    """What is kept beside the files."""

    packages: Mapping[str, str]
    variables: Mapping[str, str]
    commit: str | None = None


def keep(folder: Path, command: Sequence[str], cwd: str) -> None:
    """Put a snapshot into the folder of a case; a project that is too large for that gets none, and no run fails."""
    with contextlib.suppress(OSError, ValueError):
        paths = list(_paths(cwd))
        if len(paths) > MOST_FILES or sum(os.path.getsize(path) for path in paths) > MOST_BYTES:
            paths = []
        repository = Repository.of(cwd)
        head = repository.commit("HEAD") if repository is not None else None
        about = About(packages(command[0]) if command else {}, variables(), head.id if head is not None else None)
        fresh = folder / f".{NAME}"
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
            archive.writestr(ABOUT, json.dumps(encode(about)))
            for path in paths:
                archive.write(path, FILES + os.path.relpath(path, cwd))
        fresh.rename(folder / NAME)


def read(folder: Path) -> Snapshot | None:
    """The snapshot in a case; None where it has none, or one that cannot be read."""
    try:
        with zipfile.ZipFile(folder / NAME) as archive:
            about = decode(About, json.loads(archive.read(ABOUT)))
            entries = [one for one in archive.infolist() if one.filename.startswith(FILES)][:MOST_FILES]
            files = {one.filename[len(FILES) :]: archive.read(one) for one in entries if one.file_size <= LARGEST_READ}
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    return Snapshot(files, about.packages, about.variables, about.commit)


def kept(path: str) -> bool:
    """Whether a file is one that a snapshot holds: small text that a program may read."""
    name = os.path.basename(path).lower()
    if not name.endswith(READ_WHOLE) or any(fnmatch(name, private) for private in PRIVATE):
        return False
    return not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) <= LARGEST_READ


def _paths(cwd: str) -> Iterator[str]:
    count = looked = 0
    for inner, folders, names in os.walk(cwd):
        looked += len(names)
        if looked > MOST_LOOKED_AT:
            raise ValueError(f"{cwd} holds too many files")
        folders[:] = [f for f in folders if f not in NO_INPUT and not not_copied(os.path.join(inner, f))]
        for path in (os.path.join(inner, name) for name in sorted(names)):
            if kept(path):
                count += 1
                yield path
                if count > MOST_FILES:
                    return


def packages(program: str) -> dict[str, str]:
    """The versions of what is installed beside the program that is started, by the names of their folders."""
    found = shutil.which(program) if "python" in os.path.basename(program) else shutil.which("python")
    if found is None:
        return {}
    versions: dict[str, str] = {}
    for folder in sorted(Path(found).parent.parent.glob("lib/python*/site-packages/*.dist-info")):
        name, _, version = folder.name[: -len(".dist-info")].rpartition("-")
        versions[re.sub(r"[-_.]+", "-", name).lower()] = version
    return versions


def variables() -> dict[str, str]:
    return {name: value for name, value in sorted(os.environ.items()) if any(fnmatch(name, one) for one in TELLING)}
