import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from stetho.amounts import size
from stetho.facts import Machine
from stetho.probe import Example, Piece, Seen, Target, probe
from stetho.procfs import counts, text_of

CGROUP = "/sys/fs/cgroup"
EVENTS = "low 0\nhigh 0\nmax 812\noom 3\noom_kill 2\noom_group_kill 0\n"


@probe(
    gives=Machine,
    reads="/proc/meminfo, /sys/fs/cgroup/memory.max, memory.events, the disk of the working directory",
    limit=1.0,
    instead="free -h; df -h .",
    at_start=True,
    examples={
        "two processes were killed": Example(
            EVENTS, counts, {"low": 0, "high": 0, "max": 812, "oom": 3, "oom_kill": 2, "oom_group_kill": 0}
        )
    },
)
def machine(target: Target) -> Iterator[Piece]:
    """Cores, memory and disk that the machine has to give, and whether its container ran out of memory.

    ## What it reads
    The kernel's own counters, without rights and in a moment.

    ## What it leaves
    On systems without control groups the limit and the count of kills are unknown.
    """
    import psutil

    memory = psutil.virtual_memory()
    fact = Machine(
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_total=memory.total,
        memory_free=memory.available,
        disk_free=_free_below(target.folder),
        memory_limit=_number(text_of(f"{CGROUP}/memory.max")),
        oom_kills=counts(text_of(f"{CGROUP}/memory.events") or "").get("oom_kill"),
    )
    said = f"{fact.cores} cores, {size(fact.memory_free)} of {size(fact.memory_total)} memory free"
    yield Seen(fact, said, f"/proc/meminfo, {CGROUP}/memory.max, {CGROUP}/memory.events, statvfs {target.folder}")


def _free_below(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.strip().isdecimal() else None
