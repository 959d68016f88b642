"""Runs jobs through Slurm, or on submitit's stand-in for it; files in a shared folder are all that passes between."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from stetho import codec
from stetho.config import OnSlurm
from stetho.errors import BadRequest
from stetho.executors import remote, starter
from stetho.executors.protocol import Progress, Ran, Watcher
from stetho.experiment import Job

# Minutes beyond a run's bound: submitit signals well before the limit, and what the run left is to be packed.
SLACK = 5
# Seconds between two questions to Slurm, which all its users share, and between two to a process of our own.
PAUSE = {"slurm": 15.0, "local": 0.5}
# Seconds in which an answer may still come into sight, as shared file systems are late.
LATE = {"slurm": 30.0, "local": 0.0}
GRACE = 10.0
# Lines of a dead job's standard error that are told.
LAST_LINES = 3


class SlurmExecutor:
    """The executor behind `--executor slurm`. Several threads may each run a job on it."""

    def __init__(self, settings: OnSlurm, folder: Path) -> None:
        self.settings = settings
        self.folder = folder.absolute()
        self.environment = dict(os.environ)

    def __call__(self, job: Job, watch: Watcher | None = None) -> Ran:
        parcel = remote.parcel(job, self.environment, devices=self.settings.gpus > 0)
        return remote.carry_out(lambda: self._submitted(parcel, job), job, watch, self.settings.wait)

    def _submitted(self, parcel: str, job: Job) -> Attempt:
        self.folder.mkdir(parents=True, exist_ok=True)
        # The parcel holds the user's environment; mkdtemp makes a folder that nobody else can look into.
        folder = Path(tempfile.mkdtemp(prefix="job-", dir=self.folder))
        (folder / starter.PARCEL).write_text(parcel)
        return Attempt(_submit(folder, self.settings, job.bound.seconds), folder, self.settings.cluster)


def _submit(folder: Path, settings: OnSlurm, seconds: float) -> Any:
    import submitit

    # It would print on our standard output, which is for results.
    log = logging.getLogger("submitit")
    log.handlers, log.propagate = [logging.NullHandler()], False
    at = submitit.AutoExecutor(folder=folder, cluster=settings.cluster)
    at.update_parameters(**parameters(settings, seconds))
    try:
        return at.submit(starter.serve, str(folder))
    except (submitit.core.utils.FailedSubmissionError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise BadRequest(f"Slurm does not take the job: {_last_line(str(error))}") from error


def parameters(settings: OnSlurm, seconds: float) -> dict[str, object]:
    """The settings in submitit's words; the time limit is the run's bound and some slack, unless it is set."""
    wanted = {
        "name": "stetho",
        "timeout_min": math.ceil((settings.time or seconds) / 60) + (0 if settings.time else SLACK),
        "cpus_per_task": settings.cpus,
        "gpus_per_node": settings.gpus or None,
        "mem_gb": settings.memory,
        "slurm_partition": settings.partition,
        "slurm_account": settings.account,
        "slurm_qos": settings.qos,
        "slurm_constraint": settings.constraint,
    }
    # A terminal's Ctrl-C reaches the stand-in, too, which would answer it with a traceback on our streams.
    if settings.cluster == "local":
        wanted["local_setup"] = ["trap '' INT"]
    return {name: value for name, value in wanted.items() if value is not None}


class Attempt:
    """One try at a job, by one submission."""

    def __init__(self, submission: Any, folder: Path, cluster: str) -> None:
        self.submission = submission
        self.folder = folder
        self.cluster = cluster
        self.next = time.monotonic() + PAUSE[cluster]
        self.over: float | None = None

    def look(self, reason: str | None) -> Progress | None:
        if reason:
            (self.folder / starter.STOP).write_text(reason)
        try:
            return codec.decode(Progress, json.loads((self.folder / starter.NEWS).read_text()))
        except OSError:
            return None

    def answer(self) -> bytes | None:
        with contextlib.suppress(OSError):
            return (self.folder / starter.ANSWER).read_bytes()
        now = time.monotonic()
        if self.over is None and now >= self.next:
            self.next = now + PAUSE[self.cluster]
            if self.submission.done(force_check=True):
                self.over = now + LATE[self.cluster]
        elif self.over is not None and now > self.over:
            raise remote.Died(self._death())
        return None

    def _death(self) -> str:
        words = " | ".join((self.submission.stderr() or "").strip().splitlines()[-LAST_LINES:])
        return f"job {self.submission.job_id} left no answer, {self.submission.state}{': ' if words else ''}{words}"

    def end(self, *, done: bool) -> None:
        if not done and self.over is None:
            self.look("called off")
            if self.cluster == "slurm":
                self.submission.cancel(check=False)
        # The run ends itself, and submitit has its own last words, for which it needs the folder.
        deadline = time.monotonic() + GRACE
        while not self.submission.done() and time.monotonic() < deadline:
            time.sleep(0.05)
        if self.cluster == "local":
            self._end_here()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end_here(self) -> None:
        """End the stand-in with everything below it, if it is still there."""
        import psutil

        if self.submission.done():
            return
        with contextlib.suppress(psutil.Error):
            first = psutil.Process(int(self.submission.job_id))
            for process in (*first.children(recursive=True), first):
                process.kill()


def _last_line(words: str) -> str:
    lines = words.strip().splitlines()
    return lines[-1].strip() if lines else ""
