"""What tests of isolation share: a project with something to lose, running programs in it, looking at the damage."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from stetho.errors import ScratchError
from stetho.executors import local
from stetho.executors.protocol import Ran, Watcher
from stetho.experiment import Bound, Edit, Isolation, Job
from stetho.isolation.likeness import LARGE

ALL_WAYS = local.ways
OVERLAY, COPY = Isolation(), Isolation(copy=True)
both = pytest.mark.parametrize("isolation", [OVERLAY, COPY], ids=["overlay", "copy"])
Looks = dict[str, tuple[str, int, int, str]]


def look(folder: Path) -> Looks:
    """Everything below a folder: what it holds, when it was changed, its mode, and where links lead."""
    seen: Looks = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        if path.is_symlink():
            held = os.readlink(path)
        else:
            held = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        seen[str(path.relative_to(folder))] = (held, status.st_mtime_ns, status.st_mode, oct(status.st_nlink))
    return seen


def project(folder: Path) -> Path:
    """Checkpoints, a log, a data base, a large file and links; old, so that a new time is noticed."""
    for name in ("best.pt", "old.ckpt", "log.csv", "a.txt", "runs/one/metrics.txt", "runs/two/metrics.txt", "sub/x"):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"the user's own {name}\n")
    (folder / "large.bin").write_bytes(b"\x01" * (LARGE + 1))
    (folder / "link").symlink_to("best.pt")
    for path in sorted(folder.rglob("*"), reverse=True):
        os.utime(path, (1_600_000_000, 1_600_000_000), follow_symlinks=False)
    return folder


def run(
    folder: Path,
    program: str | list[str],
    isolation: Isolation = OVERLAY,
    *,
    watch: Watcher | None = None,
    edits: tuple[Edit, ...] = (),
    memory: int | None = None,
    **environment: str,
) -> Ran:
    """Run a program of Python, or a command, in a folder."""
    command = [sys.executable, "-c", program] if isinstance(program, str) else program
    bound = Bound(60.0, memory=memory)
    job = Job(tuple(command), str(folder), 0, bound, edits=edits, isolation=isolation, environment=environment)
    try:
        ran = local.run(job, watch)
    except ScratchError as error:
        if "isolated in no way" in str(error):
            pytest.skip(str(error))
        raise
    if not isolation.copy and not ran.overlay and local.ways is ALL_WAYS and local._refused:
        ran.discard()
        pytest.skip("this machine allows no overlay")
    return ran
