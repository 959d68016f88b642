import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from stetho.amounts import size
from stetho.facts import ResourceLimits
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import counts, text_of, whole
from stetho.relatives import handles_of, read_relative, role, stat_of

ROOT = "/sys/fs/cgroup"
# The first version of control groups writes "no limit" as the largest number of pages.
NO_LIMIT = 1 << 60
V2 = "0::/user.slice/user-1000.slice/session-3.scope\n"
V1 = "9:memory:/docker/1f2e\n4:cpu,cpuacct:/docker/1f2e\n1:name=systemd:/docker/1f2e\n0::/\n"
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max core file size        0                    unlimited            bytes
Max processes             127632               127632               processes
Max open files            1024                 1048576              files
Max locked memory         8388608              8388608              bytes
Max address space         unlimited            unlimited            bytes
"""


@dataclass(frozen=True)
class Group:
    """The folder of one controller of a control group."""

    root: str
    path: str

    def upwards(self) -> Iterator[str]:
        """The group's own folder and those that hold it, up to the root of what can be seen."""
        path = os.path.normpath(f"{self.root}/{self.path}")
        if not os.path.isdir(path):
            path = self.root  # a container sees its own group as the root
        while path.startswith(self.root):
            yield path
            path = os.path.dirname(path)


def parse_groups(text: str) -> dict[str, str]:
    """The group of each controller, by name; that of version 2 under the empty name."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        parts = line.split(":", 2)
        if len(parts) == 3 and parts[2].startswith("/"):
            for name in parts[1].split(","):
                found[name] = parts[2]
    return found


def parse_limits(text: str) -> dict[str, int | None]:
    """The soft limits of /proc/PID/limits, by name; None is unlimited."""
    found = {}
    for line in text.split("\n"):
        match = re.match(r"Max ([a-z ]+?)\s{2,}(unlimited|\d{1,20})\s", line)
        if match is not None:
            found[match[1]] = whole(match[2])
    return found


@probe(
    gives=ResourceLimits,
    reads="/proc/PID/cgroup, memory.max, memory.current, memory.stat, memory.events, pids.max, cpu.max (or their first "
    "versions) of the group and those above it, /dev/shm, /proc/PID/limits",
    needs="Linux",
    limit=1.5,
    instead="cat /proc/PID/cgroup /proc/PID/limits; df -h /dev/shm; cat /sys/fs/cgroup/memory.{max,current,events}",
    examples={
        "control groups of version 2": Example(V2, parse_groups, {"": "/user.slice/user-1000.slice/session-3.scope"}),
        "version 1, in a container": Example(
            V1,
            parse_groups,
            {
                "memory": "/docker/1f2e",
                "cpu": "/docker/1f2e",
                "cpuacct": "/docker/1f2e",
                "name=systemd": "/docker/1f2e",
                "": "/",
            },
        ),
        "limits of a shell": Example(
            LIMITS,
            parse_limits,
            {
                "cpu time": None,
                "core file size": 0,
                "processes": 127632,
                "open files": 1024,
                "locked memory": 8388608,
                "address space": None,
            },
        ),
    },
)
def limits(target: Target) -> Iterator[Piece]:
    """What a container, shared memory and the shell allow the run, and how much of it is used.

    ## What it reads
    The control group of the trainer, of every group above it the strictest; the limits that it was started with.
    Without a process, those of this one.

    ## What it leaves
    Limits that a cluster's scheduler enforces by itself, without the kernel.
    """
    pid = target.trainer
    who = str(pid) if pid is not None and stat_of(pid) is not None else "self"
    groups = parse_groups(text_of(f"/proc/{who}/cgroup") or "")
    if not groups:
        yield Unknown("control groups", f"/proc/{who}/cgroup cannot be read", "cat /proc/PID/cgroup")
    soft = parse_limits(text_of(f"/proc/{who}/limits") or "")
    memory_max, memory_used, kills, hits = _memory(groups)
    processes_max, processes = _processes(groups)
    cores, throttled = _cores(groups)
    shm_size, shm_used = _shm()
    fact = ResourceLimits(
        pid=None if who == "self" else pid,
        memory_max=memory_max,
        memory_used=memory_used,
        oom_kills=kills,
        limit_hits=hits,
        processes_max=processes_max,
        processes=processes,
        cores=cores,
        throttled=throttled,
        shm_size=shm_size,
        shm_used=shm_used,
        files_max=soft.get("open files"),
        files=handles_of(pid, "/nowhere")[0] if pid is not None else None,
        core_max=soft.get("core file size"),
        memlock_max=soft.get("locked memory"),
        address_max=soft.get("address space"),
        user_processes_max=soft.get("processes"),
        loaders=_loaders(target),
    )
    read = f"/proc/{who}/cgroup, /proc/{who}/limits, {ROOT} of {groups.get('memory') or groups.get('', '/')}, /dev/shm"
    yield Seen(fact, summary(fact), read)


def summary(fact: ResourceLimits) -> str:
    parts = [
        f"memory {size(fact.memory_used)} of {size(fact.memory_max)}" if fact.memory_max else "no memory limit",
        f"{fact.oom_kills} killed for want of memory" if fact.oom_kills else "",
        f"{fact.cores:g} cores" if fact.cores else "",
        f"/dev/shm {size(fact.shm_used)} of {size(fact.shm_size)}" if fact.shm_size is not None else "",
        f"{fact.files} of {fact.files_max} files open" if fact.files is not None else
        f"{fact.files_max} files may be open" if fact.files_max else "",
        "no core dumps" if fact.core_max == 0 else "",
    ]  # fmt: skip
    whose = "" if fact.pid is not None else "this shell's, as no process of the run is there: "
    return whose + ", ".join(part for part in parts if part)


def _group(groups: dict[str, str], controller: str) -> tuple[int, Group] | None:
    """The version and the folder of a controller's group."""
    if controller in groups and os.path.isdir(f"{ROOT}/{controller}"):
        return 1, Group(f"{ROOT}/{controller}", groups[controller])
    if "" in groups and os.path.exists(f"{ROOT}/cgroup.controllers"):
        return 2, Group(ROOT, groups[""])
    return None


def _memory(groups: dict[str, str]) -> tuple[int | None, int | None, int | None, int | None]:
    """The limit, what is used of it, kills and how often the limit was hit."""
    found = _group(groups, "memory")
    if found is None:
        return None, None, None, None
    version, group = found
    limit, used, kills, hits = None, None, None, None
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    # Contents of files can be dropped when memory is wanted, so that they are not counted as use.
    files = ("inactive_file", "active_file") if version == 2 else ("total_inactive_file", "total_active_file")
    for place in group.upwards():
        own = whole(text_of(f"{place}/{names[0]}"))
        if version == 2:
            events = counts(text_of(f"{place}/memory.events") or "")
        else:
            events = counts(text_of(f"{place}/memory.oom_control") or "")
            failed = whole(text_of(f"{place}/memory.failcnt"))
            events |= {"max": failed} if failed is not None else {}
        if kills is None:
            kills, hits = events.get("oom_kill"), events.get("max")
        if own is not None and 0 <= own < NO_LIMIT and (limit is None or own < limit):
            held = sum(counts(text_of(f"{place}/memory.stat") or "").get(name, 0) for name in files)
            now = whole(text_of(f"{place}/{names[1]}"))
            limit, used = own, None if now is None else max(0, now - held)
            kills, hits = events.get("oom_kill"), events.get("max")
    return limit, used, kills, hits


def _processes(groups: dict[str, str]) -> tuple[int | None, int | None]:
    found = _group(groups, "pids")
    for place in found[1].upwards() if found else ():
        most = whole(text_of(f"{place}/pids.max"))
        if most is not None and most >= 0:
            return most, whole(text_of(f"{place}/pids.current"))
    return None, None


def _cores(groups: dict[str, str]) -> tuple[float | None, float | None]:
    found = _group(groups, "cpu")
    for place in found[1].upwards() if found else ():
        words = (text_of(f"{place}/cpu.max") or "").split()
        if found and found[0] == 1:
            words = [(text_of(f"{place}/cpu.cfs_{name}_us") or "").strip() for name in ("quota", "period")]
        quota, period = (whole(word) for word in words) if len(words) == 2 else (None, None)
        if quota is not None and period and quota > 0:
            stat = counts(text_of(f"{place}/cpu.stat") or "")
            periods = stat.get("nr_periods", 0)
            return round(quota / period, 2), round(stat.get("nr_throttled", 0) / periods, 3) if periods else None
    return None, None


def _shm() -> tuple[int | None, int | None]:
    try:
        known = os.statvfs("/dev/shm")
    except OSError:
        return None, None
    return known.f_blocks * known.f_frsize, (known.f_blocks - known.f_bfree) * known.f_frsize


def _loaders(target: Target) -> int:
    folder = str(target.folder)
    stats = [stat for pid in target.family if (stat := stat_of(pid)) is not None]
    found = {stat.pid: read_relative(stat, folder) for stat in stats}
    return sum(role(one, found, folder) == "worker" for one in found.values())
