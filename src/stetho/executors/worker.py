"""The program that runs a job on another machine: an order on standard input, news and an archive on standard output.

`starter.py` starts it. When its standard input ends, whoever asked is gone, and so is the run.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import shutil
import signal
import socket
import sys
import tarfile
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from stetho import __version__, codec
from stetho.attachment import Witness
from stetho.errors import StethoError
from stetho.executors import local
from stetho.executors.protocol import Progress, Ran
from stetho.executors.remote import ANSWERED, SHIPPED, Order, plain
from stetho.executors.starter import ARCHIVE, PROGRESS
from stetho.experiment import Job

# Seconds between two pieces of news.
PAUSE = 0.2


class Refused(StethoError):
    """This machine lacks something that the job needs."""


class Line:
    """The connection to whoever asked: news go out, a reason to stop comes in."""

    def __init__(self, given: BinaryIO, out: BinaryIO) -> None:
        self.given = given
        self.out = out
        self.reason: str | None = None
        self.next = 0.0

    def listen(self) -> None:
        for line in self.given:
            if line.startswith(b"stop "):
                self.reason = line[5:].decode().strip()
        # The end of the input is the end of the starter; an interrupt ends the run as Ctrl-C does at home.
        os.kill(os.getpid(), signal.SIGINT)

    def watch(self, progress: Progress) -> str | None:
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + PAUSE
            self.out.write(PROGRESS + json.dumps(codec.encode(progress)).encode() + b"\n")
            self.out.flush()
        return self.reason


def main() -> None:
    """Obey one order."""
    # What libraries print must not get between the news.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # A cluster may start its jobs deaf to this signal, and so would the user's program be.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    order = sys.stdin.buffer.readline()
    line = Line(sys.stdin.buffer, out)
    threading.Thread(target=line.listen, daemon=True).start()
    try:
        answer, ran = _obeyed(json.loads(order), line)
        try:
            out.write(ARCHIVE)
            pack(out, answer, ran.folder if ran else None)
            out.flush()
        finally:
            if ran:
                ran.discard()
        code = 0
    except (KeyboardInterrupt, BrokenPipeError):
        code = 130
    except Exception:  # noqa: BLE001 - a defect of ours; its last line travels back
        traceback.print_exc()
        code = 1
    # The listening thread holds the lock of its stream, over which an ordinary exit stumbles.
    sys.stderr.flush()
    os._exit(code)


def _obeyed(data: Mapping[str, object], line: Line) -> tuple[dict[str, object], Ran | None]:
    """What became of the order: the run's own account, or why there was none."""
    node = socket.gethostname()
    try:
        if data["version"] != __version__:
            raise Refused(f"has stetho {__version__}, and {data['version']} asks; use the same version on all nodes")
        order = codec.decode(Order, data)
        with tempfile.TemporaryDirectory(prefix=f"stetho-{os.getpid()}-") as folder:
            job = at_hand(order, Path(folder))
            refuse_missing(job)
            line.watch(Progress(0.0, 0, None))
            with Witness() as witness:
                ran = local.run(job, line.watch)
        return {"ran": plain(replace(ran, pythons=witness.pythons))}, ran
    except StethoError as error:
        return {"refused": f"{node} {error}" if isinstance(error, Refused) else f"{node}: {error}"}, None


def at_hand(order: Order, folder: Path) -> Job:
    """The job with every file that travelled with it; one that is the same here is used in its place."""
    moved = {}
    for number, (path, text) in enumerate(order.files):
        if not _same(path, text):
            copy = folder / str(number) / os.path.basename(path)
            copy.parent.mkdir()
            copy.write_text(text, encoding="utf-8")
            moved[path] = str(copy)
    changes = tuple((name, value, moved.get(path, path)) for name, value, path in order.job.changes)
    stdin = None
    if order.stdin is not None:
        stdin = folder / "stdin"
        stdin.write_bytes(base64.b64decode(order.stdin))
    return replace(order.job, changes=changes, stdin=stdin)


def _same(path: str, text: str) -> bool:
    try:
        return Path(path).read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False


def refuse_missing(job: Job) -> None:
    """The user's files are not shipped: they must be in sight."""
    if not os.path.isdir(job.cwd):
        raise Refused(f"cannot see {job.cwd}: the project must be on a file system that all nodes share")
    program = job.command[0]
    whole = os.path.join(job.cwd, program) if os.sep in program else program
    path = {**os.environ, **job.environment}.get("PATH")
    if shutil.which(whole, path=path) is None:
        raise Refused(f"cannot run '{program}': it was not found there")


def pack(out: BinaryIO, answer: Mapping[str, object], folder: Path | None) -> None:
    """The answer, and what the run left, as one archive."""
    with (
        gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as small,
        tarfile.open(fileobj=small, mode="w|") as archive,
    ):
        text = json.dumps(answer).encode()
        archive.addfile(_about(ANSWERED, len(text)), io.BytesIO(text))
        for path in sorted(folder.rglob("*")) if folder else ():
            name = path.relative_to(folder).as_posix() if folder else ""
            if name.split("/")[0] in SHIPPED and path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    archive.addfile(_about(name, path.stat().st_size), file)


def _about(name: str, size: int) -> tarfile.TarInfo:
    about = tarfile.TarInfo(name)
    about.size = size
    return about


if __name__ == "__main__":
    main()
