import os
import shutil
from pathlib import Path

from stetho.facts import Machine
from stetho.probe import probe

CGROUP = Path("/sys/fs/cgroup")


@probe(
    gives=Machine,
    reads="/proc/meminfo, /sys/fs/cgroup/memory.max, memory.events, the disk of the working directory",
)
def machine(directory: Path) -> Machine | None:
    """Cores, memory and disk that the machine has to give, and whether its container ran out of memory.

    ## What it reads
    The kernel's own counters, without rights and in a moment.

    ## What it leaves
    On systems without control groups the limit and the count of kills are unknown.
    """
    import psutil

    memory = psutil.virtual_memory()
    limit = _number(CGROUP / "memory.max")
    return Machine(
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_total=memory.total,
        memory_free=memory.available,
        disk_free=shutil.disk_usage(directory).free,
        memory_limit=limit,
        oom_kills=_event("oom_kill"),
    )


def _number(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _event(name: str) -> int | None:
    try:
        rows = (CGROUP / "memory.events").read_text().split("\n")
    except OSError:
        return None
    counts = dict(row.split() for row in rows if len(row.split()) == 2)
    return int(counts[name]) if name in counts else None
