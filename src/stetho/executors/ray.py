"""Runs jobs on a Ray cluster: each has an actor of its own, which is gone when the job is."""

from __future__ import annotations

import json
import logging
import os
import threading
from typing import Any

from stetho import codec
from stetho.config import OnRay
from stetho.errors import BadRequest, WorkerLost
from stetho.executors import remote, starter
from stetho.executors.protocol import Progress, Ran, Watcher
from stetho.experiment import Job

# Seconds that a run which is called off has to end by itself; Ray would only end its own process.
GRACE = 10.0
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
        address = os.environ.get("RAY_ADDRESS")
        try:
            ray.init(address=address or "auto", **quiet)
        except ConnectionError as error:
            if address:
                raise BadRequest(f"no Ray cluster answers at {address}, which RAY_ADDRESS names") from error
            try:
                ray.init(address="local", include_dashboard=False, **quiet)
            except Exception as reason:
                raise WorkerLost(f"Ray does not start on this machine: {_in_a_line(reason)}") from reason
