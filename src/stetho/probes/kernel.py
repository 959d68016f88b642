import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from stetho import kernel_log
from stetho.amounts import duration
from stetho.facts import KernelEvent, KernelLog
from stetho.newest import last_written
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import text_of
from stetho.tool import Said, ask

MOST = 60
OOM = (
    "[91234.112233] python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
    "[91234.112400] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-1f.scope,mems_allowed=0,"
    "oom_memcg=/system.slice/docker-1f.scope,task_memcg=/system.slice/docker-1f.scope,task=python,pid=4711,uid=1000\n"
    "[91234.112455] Memory cgroup out of memory: Killed process 4711 (python) total-vm:41234568kB, "
    "anon-rss:16654321kB, file-rss:81234kB, shmem-rss:2048kB, UID:1000 pgtables:40000kB oom_score_adj:0\n"
)
XID = (
    "[Mon Nov 16 03:12:44 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, "
    "GPU has fallen off the bus.\n"
)


def parse(text: str) -> tuple[KernelEvent, ...]:
    return tuple(kernel_log.events(text.split("\n")))


@probe(
    gives=KernelLog,
    reads="dmesg, else /dev/kmsg, else journalctl -k",
    needs="root, or kernel.dmesg_restrict=0, or the group systemd-journal",
    limit=2.1,
    instead="sudo dmesg -T | grep -iE 'oom|killed process|xid|i/o error|segfault|nfs'",
    examples={
        "killed for want of memory in a container": Example(
            OOM,
            parse,
            (
                KernelEvent(
                    "oom-kill",
                    OOM.split("\n")[2].split("] ", 1)[1],
                    3,
                    uptime=91234.112455,
                    pid=4711,
                    process="python",
                    cgroup="/system.slice/docker-1f.scope",
                    resident=(16654321 + 81234 + 2048) * 1024,
                ),
            ),
        ),
        "a GPU has fallen off the bus": Example(
            XID,
            parse,
            (
                KernelEvent(
                    "xid",
                    XID.strip().split("] ", 1)[1],
                    1,
                    when="Mon Nov 16 03:12:44 2026",
                    device="0000:3b:00",
                    code=79,
                ),
            ),
        ),
    },
)
def kernel(target: Target) -> Iterator[Piece]:
    """What the kernel has reported: kills for want of memory, faults of GPUs and storage, crashes in native code.

    ## What it reads
    The kernel's log, by whichever way is open to this user. Times are turned into ages by the machine's own clock.

    ## What it leaves
    Inside a container the log is often closed, and what the host knows stays unknown.
    """
    said = read_log()
    if not said.ok:
        yield Unknown("kernel log", said.failure, kernel.instead, said.command)
        return
    lines = said.out.split("\n")
    found, left_out = kernel_log.newest(kernel_log.events(lines), MOST)
    uptime, now = float((text_of("/proc/uptime") or "0").split()[0]), time.time()
    dated = tuple(replace(event, age=age(event, uptime, now)) for event in found)
    family = tuple(dict.fromkeys([*([target.pid] if target.pid else []), *target.family]))
    quiet = last_written(target.folder) if target.reachable else None
    fact = KernelLog(dated, len(lines), left_out, family, None if quiet is None else round(now - quiet, 1))
    kinds: dict[str, int] = {}
    for event in dated:
        kinds[event.kind] = kinds.get(event.kind, 0) + 1
    told = ", ".join(f"{count} × {kind}" for kind, count in kinds.items()) or "nothing that can harm a run"
    details = tuple(_line(event) for event in dated[-6:])
    yield Seen(fact, f"{told}, in {len(lines)} lines", said.command, details)


def _line(event: KernelEvent) -> str:
    when = f"{duration(event.age)} ago" if event.age is not None else event.when
    return f"{when}: {event.text[:200]}{'…' * (len(event.text) > 200)}"


def read_log() -> Said:
    """The kernel's log by the first way that works; else why none does."""
    said = ask("dmesg", limit=1.0)
    if said.ok:
        return said
    text = _kmsg(Path("/dev/kmsg"))
    if text:
        return Said("/dev/kmsg", text)
    journal = ask("journalctl", "-k", "-b", "-q", "--no-pager", "-o", "short-unix", "-n", "20000", limit=1.0)
    if journal.ok and journal.out.strip():
        return journal
    why = f"{said.failure}; /dev/kmsg cannot be read; {journal.failure or 'journalctl shows no kernel messages'}"
    return Said("dmesg; /dev/kmsg; journalctl -k", failure=why)


def _kmsg(path: Path) -> str:
    """What is in the kernel's ring, one record to a read; without waiting for more."""
    parts: list[bytes] = []
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        while len(parts) < 100_000:
            parts.append(os.read(handle, 8192))
    except OSError:
        pass  # it has no more
    finally:
        os.close(handle)
    return b"".join(parts).decode("utf-8", "backslashreplace")


def age(event: KernelEvent, uptime: float, now: float) -> float | None:
    """Seconds since an event, where its time says."""
    if event.uptime is not None:
        return round(max(0.0, uptime - event.uptime), 1)
    when = event.when
    try:
        if when.replace(".", "").isdecimal():
            return round(now - float(when), 1)
        if when[:4].isdecimal():
            return round(now - datetime.fromisoformat(when.replace(",", ".")).timestamp(), 1)
        return round(now - datetime.strptime(when, "%a %b %d %H:%M:%S %Y").timestamp(), 1)
    except (ValueError, OverflowError, OSError):
        return None
