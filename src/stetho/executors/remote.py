"""What executors on other machines share: a job goes out as plain data, and comes back as a folder."""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

import stetho
from stetho import codec
from stetho.errors import BadRequest, WorkerLost
from stetho.evidence import Json
from stetho.executors.protocol import OUTPUT, RECORDING, Progress, Ran, Watcher
from stetho.experiment import Job
from stetho.scratch import discard

ANSWERED = "answer.json"
SHIPPED = (RECORDING, OUTPUT, "written", "written.json")
# What a run left is small; more than this is a mistake or worse.
MOST_BYTES = 4 * 1024**3
PAUSE = 0.1
# Seconds after its bound in which a worker must have ended its run and sent what it left.
LATEST_ANSWER = 300.0
# What a cluster says of the devices that a job may use.
DEVICES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")


@dataclass(frozen=True)
class Order:
    """A job for another machine, with the files that it must find there."""

    version: str
    job: Job
    files: tuple[tuple[str, str], ...]
    """Path and text of each file that makes a change."""
    stdin: str | None
    """What the program reads, in base 64."""


class Attempt(Protocol):
    """One try at a job, on some worker."""

    def look(self, reason: str | None) -> Progress | None:
        """Pass on a reason to stop; how far the run has come, None while it waits for a place."""

    def answer(self) -> bytes | None:
        """What the starter gave, None while there is nothing yet; a worker that died raises Died."""

    def end(self, *, done: bool) -> None:
        """Give the place free; a run that is not done ends with everything that it started."""


class Died(Exception):
    """A worker ended before its run did."""


def parcel(job: Job, environment: Mapping[str, str], *, devices: bool) -> str:
    """All that a starter needs, as JSON. With `devices`, the cluster's word on them goes before the user's."""
    files = tuple((path, Path(path).read_text(encoding="utf-8")) for path in {change[2] for change in job.changes})
    stdin = base64.b64encode(job.stdin.read_bytes()).decode() if job.stdin is not None else None
    order = Order(stetho.__version__, replace(job, stdin=None), files, stdin)
    told = {
        "python": sys.executable,
        "library": str(Path(stetho.__file__).parent.parent),
        "environment": dict(environment),
        "assigned": DEVICES if devices else (),
        "order": json.dumps(codec.encode(order)),
    }
    return json.dumps(told)


def plain(ran: Ran) -> dict[str, Json]:
    """Everything of a run but its folder, as JSON."""
    return {f.name: codec.encode(getattr(ran, f.name)) for f in fields(ran) if f.name != "folder"}


def carry_out(begin: Callable[[], Attempt], job: Job, watch: Watcher | None, wait: float) -> Ran:
    """Run a job on a worker; when that dies, once more on another."""
    deaths: list[str] = []
    for _ in range(2):
        attempt = begin()
        done = False
        try:
            data, waited = _followed(attempt, job, watch, wait)
            done = True
            return replace(unpacked(data), waited=waited)
        except Died as death:
            deaths.append(str(death))
        finally:
            attempt.end(done=done)
    told = deaths[0] if deaths[0] == deaths[1] else "; then ".join(deaths)
    raise WorkerLost(f"the worker died, and so did a second one: {told}")


def _followed(attempt: Attempt, job: Job, watch: Watcher | None, wait: float) -> tuple[bytes, float]:
    """The answer of a worker, and how long it was waited for before the run began."""
    asked = time.monotonic()
    began, reason = None, None
    while (data := attempt.answer()) is None:
        progress, now = attempt.look(reason), time.monotonic()
        if progress is None:
            if now - asked > wait:
                raise WorkerLost(f"no worker was free for {wait:.0f} s; the setting `wait` allows more")
        else:
            began = began or now
            if now - began > job.bound.seconds + LATEST_ANSWER:
                raise Died(f"it was silent {LATEST_ANSWER:.0f} s after the run was to end")
            if watch is not None and reason is None:
                reason = watch(progress)
        time.sleep(PAUSE)
    return data, (began or asked) - asked


def unpacked(data: bytes) -> Ran:
    """What a starter gave, as a run whose folder is here."""
    head, _, archive = data.partition(b"\n")
    said = json.loads(head)
    if "died" in said:
        raise Died(f"on {said['node']}, {said['died']}{_last_line(said.get('words', ''))}")
    place = os.environ.get("STETHO_SCRATCH") or ("/var/tmp" if os.path.isdir("/var/tmp") else None)
    # The name says whose it is, so that it is swept away should this process be killed.
    folder = Path(tempfile.mkdtemp(prefix=f"stetho-{os.getpid()}-", dir=place))
    (folder / RECORDING).mkdir()
    try:
        unpack(archive, folder)
        answer = json.loads((folder / ANSWERED).read_text())
        if "refused" in answer:
            raise BadRequest(answer["refused"])
        (folder / OUTPUT).touch()
        node = f"{said['node']} ({said['place']})" if said["place"] else said["node"]
        return replace(codec.decode(Ran, {**answer["ran"], "folder": folder}), node=node)
    except BaseException as error:
        discard(folder)
        if isinstance(error, (tarfile.TarError, OSError, EOFError, ValueError)):
            raise Died(f"on {said['node']}, what the run left cannot be read: {error}") from error
        raise


def unpack(archive: bytes, folder: Path) -> None:
    """Write the files of an archive, and nothing else that an archive can hold, below a folder."""
    left = MOST_BYTES
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r|gz") as members:
        for member in members:
            parts = PurePosixPath(member.name).parts
            known = member.name == ANSWERED or (parts and parts[0] in SHIPPED)
            if not known or ".." in parts or os.path.isabs(member.name):
                raise ValueError(f"a file of the name {member.name!r} was not asked for")
            left -= member.size
            if left < 0:
                raise ValueError(f"it is larger than {MOST_BYTES} bytes")
            source = members.extractfile(member) if member.isreg() else None
            if source is not None:
                target = folder.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read())


def _last_line(words: str) -> str:
    return f": {words.splitlines()[-1].strip()}" if words else ""
