"""A run that somebody else started, followed by its recording: the same status and the same alarms."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from stetho.case import LEDGER, open_case
from stetho.errors import BadRequest, UnknownName
from stetho.inquiry import BASE
from stetho.live import Lookout, status
from stetho.render.inert import on_one_line
from stetho.tail import FILE, Tail

PAUSE = 0.5
# The writers of a recording may be on another machine: it is over when it has been still for so long, too.
STILL = 30.0


def recording_of(root: Path, name: str) -> Path:
    """The folder in which a case, or a directory, holds a recording."""
    folder = Path(name)
    if not folder.is_dir() or (folder / LEDGER).is_file():
        try:
            folder = open_case(root, name).recordings / BASE
        except UnknownName:
            if name.isdigit():
                raise BadRequest(
                    f"there is no case {name}, and a process that runs already cannot be observed: nothing can be "
                    "put into it; start it with stetho run, or call stetho.observe() in it"
                ) from None
            raise
    if not folder.is_dir() or not (folder.parent.name == "recordings" or any(folder.glob("*.jsonl"))):
        raise BadRequest(f"'{name}' holds no recording of a run")
    return folder


def follow(folder: Path, *, show: Callable[[str], None], progress: Callable[[str], None], width: int) -> None:
    """Until the run is over, or the user has seen enough."""
    lookout = Lookout(Tail(folder), now=time.monotonic(), users_path=os.path.relpath)
    while True:
        over = finished(folder)
        for alarm in lookout.look(time.monotonic()):
            show(f"stetho: {on_one_line(str(alarm))}")
        line = status(lookout.tail, lookout.raised, width)
        if over:
            show(f"{line}; the run is over")
            return
        progress(line)
        time.sleep(PAUSE)


def finished(folder: Path) -> bool:
    """Whether all who wrote the recording have gone; before the first of them there is nothing to go by."""
    import psutil

    files = list(folder.glob("*.jsonl"))
    names = [found for file in files if (found := FILE.fullmatch(file.name))]
    if not names or any(psutil.pid_exists(int(name[2])) for name in names):
        return False
    return time.time() - max(file.stat().st_mtime for file in files) > STILL
