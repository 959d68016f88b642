"""Runs that were made before: the same one is not made twice. Kept beside the cases, bounded in number and size."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from stetho.codec import decode, encode
from stetho.executors.protocol import OUTPUT, RECORDING, Executor, Ran, Watcher
from stetho.experiment import Bound, Job
from stetho.fingerprint import LARGEST_READ, fingerprint

RUNS, ENDED = "runs", "ended.json"
MOST_RUNS, MOST_BYTES = 64, 512 * 1024**2
# One run that takes more than this share of the room would drive out all others.
LARGEST_SHARE = 4
# What is left of a write that was cut short is removed after this many seconds.
ABANDONED = 3600.0
# A time limit that is shorter by less than this factor is the same limit: what is left of a budget varies a little.
SAME_LIMIT = 0.95


@dataclass(frozen=True)
class Kept:
    """One stored run: where it is, how it ended and which bound it had."""

    folder: Path
    ran: Ran
    bound: Bound
    sources: Mapping[str, str]
    """Every file of the user's that was imported, with a print of its text."""

    def answers(self, job: Job, watch: Watcher | None) -> bool:
        """Whether it shows what a new run under this bound would show: one that was cut short must not be shorter."""
        if any(print_of(file) != known for file, known in self.sources.items()):
            return False
        if self.ran.stopped_by == "time":
            return self.bound.seconds >= SAME_LIMIT * job.bound.seconds
        if self.ran.stopped_by == "memory":
            return (self.bound.memory or 0) >= (job.bound.memory or float("inf"))
        # What a watcher stopped, another run would only be stopped in by a watcher.
        return self.ran.stopped_by in (None, "bound") or watch is not None


def remembered(execute: Executor, root: Path, *, fresh: bool = False, where: str = "local") -> Executor:
    """An executor that runs only what is not in the store yet; `fresh` runs everything, and keeps it.

    `where` names the executor: what ran on other machines is no base for what runs here. The store is for evidence;
    to see how much two runs of one program differ, run `execute` itself.
    """

    def run(job: Job, watch: Watcher | None = None) -> Ran:
        name = fingerprint(job, {**os.environ, **job.environment}, root, where)
        if name is None:
            return execute(job, watch)
        kept = None if fresh else _find(root / RUNS / name)
        if kept is not None and kept.answers(job, watch):
            with contextlib.suppress(OSError):
                return _taken_out(kept)
        ran = execute(job, watch)
        if _worth_keeping(ran):
            with contextlib.suppress(OSError):
                _keep(root / RUNS, name, ran, job.bound)
        return ran

    return run


def _find(folder: Path) -> Kept | None:
    """What is stored under a name; anything that is not as it should be counts as nothing."""
    try:
        body = json.loads((folder / ENDED).read_text(encoding="utf-8"))
        ran = decode(Ran, {**body["ran"], "folder": folder})
        return Kept(folder, ran, decode(Bound, body["bound"]), body["sources"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _taken_out(kept: Kept) -> Ran:
    """A copy that whoever asked may throw away."""
    folder = Path(tempfile.mkdtemp(prefix=f"stetho-{os.getpid()}-"))
    try:
        shutil.copytree(kept.folder / RECORDING, folder / RECORDING)
        shutil.copyfile(kept.folder / OUTPUT, folder / OUTPUT)
        # The oldest go first; what was of use is young again.
        os.utime(kept.folder)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return replace(kept.ran, folder=folder, reused=True)


def sources_of(ran: Ran) -> dict[str, str]:
    """What the run has imported of the user's, wherever it lies, as it is now."""
    files: set[str] = set()
    for recording in ran.recording.glob("*.jsonl"):
        with recording.open("rb") as handle:
            for line in handle:
                if line.startswith(b'{"e":"sources"'):
                    with contextlib.suppress(ValueError):
                        files |= {ran.users_path(str(file)) for file in json.loads(line)["files"]}
    return {file: print_of(file) for file in sorted(files)}


def print_of(file: str) -> str:
    """A fingerprint of a file's content, or of its size and time where it is large; empty when it cannot be read."""
    try:
        known = os.stat(file)
        if not stat.S_ISREG(known.st_mode) or known.st_size > LARGEST_READ:
            return f"{known.st_size}-{known.st_mtime_ns}"
        return hashlib.blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _worth_keeping(ran: Ran) -> bool:
    """Only a run that trained and was observed to its end is evidence for the next time."""
    if ran.injection_error or ran.stopped_by == "interrupt":
        return False
    stepped = faulty = False
    for file in ran.recording.glob("*.jsonl"):
        with contextlib.suppress(OSError), file.open("rb") as handle:
            for line in handle:
                stepped |= line.startswith(b'{"e":"step')
                faulty |= line.startswith(b'{"e":"fault"')
    return stepped and not faulty


def _keep(runs: Path, name: str, ran: Ran, bound: Bound) -> None:
    """File a run under its name, whole or not at all; what another stetho filed meanwhile gives way to it."""
    size = sum(file.stat().st_size for file in ran.recording.rglob("*") if file.is_file()) + ran.output.stat().st_size
    if size > MOST_BYTES // LARGEST_SHARE:
        return
    runs.mkdir(parents=True, exist_ok=True)
    fresh = _aside(runs)
    try:
        shutil.copytree(ran.recording, fresh / RECORDING)
        shutil.copyfile(ran.output, fresh / OUTPUT)
        told = {f.name: encode(getattr(ran, f.name)) for f in fields(ran) if f.name != "folder"}
        body = {"ran": told, "bound": encode(bound), "bytes": size, "sources": sources_of(ran)}
        (fresh / ENDED).write_text(json.dumps(body), encoding="utf-8")
        _remove(runs / name)
        fresh.rename(runs / name)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _make_room(runs)


def _aside(runs: Path) -> Path:
    folder = runs / f".{os.getpid()}-{uuid.uuid4().hex}"
    folder.mkdir()
    return folder


def _remove(folder: Path) -> None:
    """Take a run out of sight first: nobody finds half of one."""
    hidden = folder.with_name(f".{os.getpid()}-{uuid.uuid4().hex}")
    with contextlib.suppress(OSError):
        folder.rename(hidden)
    shutil.rmtree(hidden, ignore_errors=True)


def _make_room(runs: Path) -> None:
    """Let the oldest go until number and size are within their bounds."""
    whole = 0
    for count, (_, size, folder) in enumerate(sorted(_stored(runs), reverse=True), start=1):
        whole += size
        if count > MOST_RUNS or whole > MOST_BYTES:
            _remove(folder)


def _stored(runs: Path) -> Iterator[tuple[float, int, Path]]:
    """Each stored run with its age and size; what a killed stetho left half-written is removed on the way."""
    for folder in runs.iterdir():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            changed = folder.stat().st_mtime
            if folder.name.startswith("."):
                if time.time() - changed > ABANDONED:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            yield changed, int(json.loads((folder / ENDED).read_text(encoding="utf-8"))["bytes"]), folder
