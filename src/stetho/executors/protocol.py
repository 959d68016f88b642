"""What an executor is: it runs a job somewhere and brings back what the run left."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from stetho.attachment import Python
from stetho.experiment import Job
from stetho.scratch import RECORDING as RECORDING
from stetho.scratch import discard

OUTPUT = "output.txt"


@dataclass(frozen=True)
class Progress:
    """How far a run has come, for the status line and for deciding to stop."""

    seconds: float
    steps: int
    loss: float | None


Watcher: TypeAlias = Callable[[Progress], "str | None"]


@dataclass(frozen=True)
class Ran:
    """What a finished run left: its exit, and a folder with its recording and its output."""

    code: int | None
    signal: str | None
    seconds: float
    stopped_by: str | None
    folder: Path
    renamed: tuple[tuple[str, str], ...] = ()
    """Where the run was in a copy: each directory of the copy, and the user's own."""
    overlay: bool = True
    injection_error: str | None = None
    reused: bool = False
    """Whether it was made before, and nothing has run now; its seconds are those of then."""
    notes: tuple[str, ...] = ()
    """What is to be said of how the run was kept apart: what could only be read, what could not be closed."""
    node: str | None = None
    """The machine that it ran on, when that is another one."""
    pythons: tuple[Python, ...] | None = None
    """The interpreters that it was seen to start, where whoever asks could not look."""
    waited: float = 0.0
    """Seconds before a machine was free to run it."""

    @property
    def recording(self) -> Path:
        return self.folder / RECORDING

    @property
    def output(self) -> Path:
        return self.folder / OUTPUT

    def users_path(self, path: str) -> str:
        """A path as the user knows it."""
        for copy, original in self.renamed:
            if path == copy or path.startswith(copy + os.sep):
                return original + path[len(copy) :]
        return path

    def discard(self) -> None:
        """Throw away what was not kept elsewhere."""
        discard(self.folder)


class Executor(Protocol):
    """Runs a job to its bound. `watch` is told the progress, where it can be, and may name a reason to stop."""

    def __call__(self, job: Job, watch: Watcher | None = None) -> Ran: ...
