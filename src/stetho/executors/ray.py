"""Runs jobs on a Ray cluster: each has an actor of its own, which is gone when the job is."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
from pathlib import Path
from typing import Any

from stetho import codec
from stetho.config import OnRay
from stetho.errors import BadRequest, WorkerLost
from stetho.executors import remote, starter
from stetho.executors.protocol import Progress, Ran, Watcher
from stetho.experiment import Job

# Seconds that a run which is called off has to end by itself; Ray would only end its own process.
GRACE = 10.0
PATIENCE = 5.0
_connecting = threading.Lock()


class RayExecutor:
    """The executor behind `--executor ray`. Several threads may each run a job on it."""

    def __init__(self, settings: OnRay) -> None:
        self.settings = settings
        # Ray writes into the environment of whoever uses it; the user's program is to see none of that.
        self.environment = dict(os.environ)

    def __call__(self, job: Job, watch: Watcher | None = None) -> Ran:
        parcel = remote.parcel(job, self.environment, devices=self.settings.gpus > 0)
        actors = _actors(self.settings)
        return remote.carry_out(lambda: Attempt(actors, parcel), job, watch, self.settings.wait)


class Attempt:
    """One try at a job, by one actor."""

    def __init__(self, actors: Any, parcel: str) -> None:
        self.actor = actors.remote()
        self.result = self.actor.run.remote(parcel)
        self.asked: Any = None
        self.progress: Progress | None = None
        self.reason = ""

    def look(self, reason: str | None) -> Progress | None:
        import ray
        from ray.exceptions import RayError

        if self.asked is None or (reason and not self.reason):
            self.reason = reason or ""
            self.asked = self.actor.look.remote(self.reason)
        if ray.wait([self.asked], timeout=0)[0]:
            try:
                news = ray.get(self.asked)
            except RayError:
                return self.progress  # the answer tells of what has died
            self.asked = None
            if news:
                self.progress = codec.decode(Progress, json.loads(news))
        return self.progress

    def answer(self) -> bytes | None:
        import ray
        from ray.exceptions import RayError

        if not ray.wait([self.result], timeout=0)[0]:
            return None
        try:
            return bytes(ray.get(self.result))
        except RayError as error:
            raise remote.Died(_in_a_line(error)) from error

    def end(self, *, done: bool) -> None:
        import ray

        if not done and self.progress is not None:
            self.actor.look.remote("called off")
            ray.wait([self.result], timeout=GRACE)
        ray.kill(self.actor)


def _in_a_line(error: Exception) -> str:
    """What Ray says of a death, without the advice that follows."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if "exited" in line or "died" in line.lower()), *lines[:1])
    return f"{type(error).__name__}, {told.rstrip('.')}"


def _actors(settings: OnRay) -> Any:
    """The class of actors that start workers. It travels by value: Ray's own Python need not have stetho."""
    import ray

    _connect()
    ray.cloudpickle.register_pickle_by_value(starter)
    return ray.remote(starter.OnNode).options(
        num_cpus=settings.cpus, num_gpus=settings.gpus, max_restarts=0, max_task_retries=0, max_concurrency=2
    )


def _connect() -> None:
    """Join the cluster that there is, else start one on this machine; either without a word on our streams."""
    import ray

    with _connecting:
        if ray.is_initialized():
            return
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        address, breakpoint = _address(), os.environ.get("PYTHONBREAKPOINT")
        try:
            ray.init(address=address or "local", **quiet, **({} if address else {"include_dashboard": False}))
        except Exception as error:
            where = f"at {address} does not take us" if address else "does not start on this machine"
            raise WorkerLost(f"Ray {where}: {_in_a_line(error)}") from error
        # Ray's debugger is for Ray's tasks; whatever this process starts later is to have the user's own.
        os.environ.pop("PYTHONBREAKPOINT", None)
        os.environ.update({"PYTHONBREAKPOINT": breakpoint} if breakpoint is not None else {})


def _address() -> str | None:
    """Where a cluster answers: the one that RAY_ADDRESS names, or the one that `ray start` began here."""
    given = os.environ.get("RAY_ADDRESS", "")
    if given == "local":
        return None
    if given not in ("", "auto"):
        if not _answers(given):
            raise BadRequest(f"no Ray cluster answers at {given}, which RAY_ADDRESS names")
        return given
    try:
        begun = Path(os.environ.get("RAY_TMPDIR", "/tmp"), "ray", "ray_current_cluster").read_text().strip()
    except OSError:
        return None
    # A cluster that was killed leaves its address behind.
    return begun if _answers(begun) else None


def _answers(address: str) -> bool:
    """Whether anybody listens there. Ray itself would go on asking for minutes."""
    host, _, port = address.rpartition("://")[2].partition("/")[0].rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE):
            return True
    except (OSError, ValueError):
        return False
