"""Independent runs at the same time, as many as the cores carry; those that are about time run alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from stetho.executors.protocol import Executor, Progress, Ran, Watcher
from stetho.experiment import Job
from stetho.facts import Loaders, RunSetup
from stetho.inquiry import Facts
from stetho.yardstick import fact_in

CGROUPS = Path("/sys/fs/cgroup")
INTERRUPT = "interrupt"


@dataclass(frozen=True)
class Task:
    """One run among others."""

    job: Job
    watch: Watcher | None = None
    alone: bool = False
    """Whether its speed is the question, so that nothing else may run meanwhile."""


def together(tasks: Sequence[Task], execute: Executor, at_once: int) -> list[Ran | Exception]:
    """What each task left, in their order; one that fails is an exception in its place and costs no other.

    Ctrl-C ends all of them, throws away what they left, and is passed on once nothing runs any more.
    """
    over = threading.Event()
    results: dict[int, Ran | Exception] = {}
    crowd = [i for i, task in enumerate(tasks) if not task.alone]
    try:
        _side_by_side(tasks, crowd, execute, at_once, over, results)
        for i, task in enumerate(tasks):
            if task.alone:
                results[i] = _outcome(execute, task, over)
    except BaseException:
        for ran in results.values():
            if isinstance(ran, Ran):
                ran.discard()
        raise
    return [results[i] for i in range(len(tasks))]


def _side_by_side(
    tasks: Sequence[Task],
    chosen: Sequence[int],
    execute: Executor,
    at_once: int,
    over: threading.Event,
    results: dict[int, Ran | Exception],
) -> None:
    pool = ThreadPoolExecutor(max(1, at_once), thread_name_prefix="stetho-run")
    futures: dict[int, Future[Ran | Exception]] = {}
    try:
        futures |= {i: pool.submit(_outcome, execute, tasks[i], over) for i in chosen}
        wait(futures.values())
    except BaseException:
        over.set()
        raise
    finally:
        # Whatever has begun is waited for: nobody leaves a run behind.
        pool.shutdown(wait=True, cancel_futures=True)
        results |= {i: f.result() for i, f in futures.items() if f.done() and not f.cancelled()}


def _outcome(execute: Executor, task: Task, over: threading.Event) -> Ran | Exception:
    """One run, which ends soon after the others are told to."""

    def watch(progress: Progress) -> str | None:
        return INTERRUPT if over.is_set() else task.watch(progress) if task.watch is not None else None

    try:
        return execute(task.job, watch)
    except Exception as error:  # noqa: BLE001 - handed to whoever asked, in the place of the result
        return error


def at_once(facts: Facts) -> int:
    """How many runs like this one the machine carries side by side, at least one."""
    setup, loaders = fact_in(facts, RunSetup), fact_in(facts, Loaders)
    threads = (setup.threads or 1) * (setup.world or 1) if setup is not None else cores()
    # Workers load while the others compute; together they take about one core each.
    workers = max((one.workers or 0 for one in loaders.loaders), default=0) if loaders is not None else 0
    return max(1, cores() // max(1, threads, workers + 1 if workers else 1))


def cores() -> int:
    """Cores that this process may use, as its affinity and its control group say."""
    try:
        allowed = len(os.sched_getaffinity(0))
    except AttributeError:
        allowed = os.cpu_count() or 1
    quota = _quota()
    return max(1, min(allowed, int(quota)) if quota is not None else allowed)


def _quota(root: Path = CGROUPS) -> float | None:
    """How many cores' worth of time the control group gives; None when it sets no limit."""
    found = []
    for folder in _groups(root):
        try:
            limit, period = (folder / "cpu.max").read_text().split()
            found.append(int(limit) / int(period))
        except (OSError, ValueError):
            continue
    return min(found, default=None)


def _groups(root: Path) -> list[Path]:
    """The control group of this process and those above it."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = []
    own = next((line[3:].strip("/") for line in lines if line.startswith("0::")), "")
    folder = root / own
    return [folder, *(p for p in folder.parents if p == root or root in p.parents)]
