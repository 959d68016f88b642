import os
import time
from collections.abc import Iterator, Mapping

from stetho.amounts import duration, plural, size
from stetho.facts import Processes, ProcessState
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import counts, text_of, whole
from stetho.redaction import redact_words
from stetho.relatives import (
    Relative,
    Stat,
    mapped,
    ordered,
    parse_stat,
    read_relative,
    role,
    stat_of,
)

WATCHED, SHOWN = 1.0, 8
STAT = (
    "4711 (pt_main_thread) S 4700 4711 4700 34816 4711 4194304 81234 0 12 0 70012 4203 0 0 20 0 37 0 991230 "
    "30123450368 1201234 18446744073709551615 1 1 0 0 0 0 0 16781312 134235648 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0"
)
ODD = "12 (a) b (c) Z 1 12 12 0 -1 4228108 0 0 0 0 3 1 0 0 20 0 1 0 500 0 0 18446744073709551615 0 0 0 0"
MAPS = (
    "7f1c2a000000-7f1c2a021000 rw-p 00000000 00:00 0\n"
    "7f1c30000000-7f1c4a000000 r-xp 00000000 08:01 131 /venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so\n"
    "7f1c50000000-7f1c50200000 r-xp 00000000 08:01 977 /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.15\n"
)


@probe(
    gives=Processes,
    reads="/proc/PID/stat, cmdline, cwd, maps, fd, fdinfo, io, status, environ",
    needs="Linux; root or the run's own user for what a process holds open and maps",
    limit=2.1,
    instead="ps -o pid,ppid,stat,etime,time,nlwp,rss,args -p PID; ls -l /proc/PID/fd",
    examples={
        "a trainer that sleeps": Example(
            STAT, parse_stat, Stat(4711, "pt_main_thread", "sleeping", 4700, 74215, 37, 991230, 4700)
        ),
        "a zombie with brackets in its name": Example(ODD, parse_stat, Stat(12, "a) b (c", "zombie", 1, 4, 1, 500, 12)),
        "torch and a driver are mapped": Example(MAPS, mapped, ("torch", "cuda")),
    },
)
def processes(target: Target) -> Iterator[Piece]:
    """The processes of the run: alive, stopped or dead, busy or idle, what they write, which one trains.

    ## What it reads
    The kernel's view of each process, twice, a second apart: processor time and bytes moved in between are progress. A
    process belongs to the run when it works in the folder, names it or writes to it; the trainer is known by the
    framework that is mapped into it.

    ## What it leaves
    Processes of other users, unless root asks, and those on other machines.
    """
    if not os.path.isdir("/proc/self"):
        yield Unknown("processes", "this system has no /proc", "ps aux")
        return
    folder = str(target.folder)
    begun = time.monotonic()
    first = {pid: moved(pid) for pid in target.family}
    stats = [stat for pid in target.family if (stat := stat_of(pid)) is not None]
    found = {stat.pid: read_relative(stat, folder) for stat in stats}
    time.sleep(max(0.0, WATCHED - (time.monotonic() - begun)))
    watched = time.monotonic() - begun
    states = [
        state
        for one in ordered(list(found.values()), folder)
        if (state := _state(one, first[one.stat.pid], found, folder, watched)) is not None
    ]
    gone = target.pid is not None and stat_of(target.pid) is None
    fact = Processes(tuple(states), round(watched, 2), target.pid, gone)
    yield Seen(fact, summary(fact), _read(target.family), tuple(_lines(states)))
    hidden = [one.pid for one in states if one.handles is None and one.state != "zombie"]
    if hidden:
        which = ", ".join(map(str, hidden[:4]))
        yield Unknown(
            f"open files and libraries of pid {which}",
            "they belong to another user",
            f"sudo ls -l /proc/{hidden[0]}/fd",
            f"/proc/{hidden[0]}/fd",
        )


def _state(
    one: Relative, before: tuple[int, int] | None, found: Mapping[int, Relative], folder: str, watched: float
) -> ProcessState | None:
    """A process as it is now, beside what it was when it was first looked at; None when it has ended meanwhile."""
    stat = one.stat
    now, after = stat_of(stat.pid), moved(stat.pid)
    if now is None or now.started != stat.started:
        return None
    ticks = os.sysconf("SC_CLK_TCK")
    uptime = float((text_of("/proc/uptime") or "0").split()[0])
    read, written = (None, None)
    if before is not None and after is not None:
        read, written = (max(0, new - old) for new, old in zip(after, before, strict=True))
    return ProcessState(
        pid=stat.pid,
        parent=now.parent,
        state=now.state,
        settled=now.state == stat.state,
        command=redact_words(one.command) or (f"[{stat.name}]",),
        role=role(one, found, folder),
        frameworks=one.frameworks,
        age=round(max(0.0, uptime - stat.started / ticks), 1),
        threads=now.threads,
        resident=_resident(stat.pid),
        cores=round(max(0, now.ticks - stat.ticks) / ticks / watched, 3),
        read=read,
        written=written,
        files=tuple(os.path.relpath(file, folder) for file in one.files),
        sockets=one.sockets,
        handles=one.handles,
        # Daemons lead a session of their own, and a container's first process starts its children in its own.
        orphan=now.parent == 1 and now.session not in (stat.pid, 1, 0),
        rank=one.rank,
    )


def moved(pid: int) -> tuple[int, int] | None:
    """Bytes that a process has read and written, from and to anything."""
    text = text_of(f"/proc/{pid}/io", 1024)
    found = counts((text or "").replace(":", " "))
    return (found.get("rchar", 0), found.get("wchar", 0)) if found else None


def _resident(pid: int) -> int | None:
    words = (text_of(f"/proc/{pid}/statm", 256) or "").split()
    pages = whole(words[1]) if len(words) > 1 else None
    return None if pages is None else pages * os.sysconf("SC_PAGE_SIZE")


def summary(fact: Processes) -> str:
    if fact.gone and not fact.processes:
        return f"process {fact.asked} is gone"
    if not fact.processes:
        return "no Python or training process runs in the folder or writes to it"
    roles: dict[str, int] = {}
    for one in fact.processes:
        roles[one.role] = roles.get(one.role, 0) + 1
    told = ", ".join(f"{count} other" if name == "other" else plural(count, name) for name, count in roles.items())
    busy = sum(one.cores or 0 for one in fact.processes)
    return f"{told}; {busy:.1f} cores busy over {fact.watched:.1f} s"


def _lines(states: list[ProcessState]) -> Iterator[str]:
    yield from map(_line, states[:SHOWN])
    if len(states) > SHOWN:
        yield f"and {plural(len(states) - SHOWN, 'other process', 'other processes')}"


def _line(one: ProcessState) -> str:
    parts = [one.state, f"{duration(one.age)} old"] if one.age is not None else [one.state]
    if one.state not in ("zombie", "dead"):
        parts += [f"{100 * (one.cores or 0):.0f} % of a core", plural(one.threads or 0, "thread"), size(one.resident)]
        parts += [f"reads {size(one.read)}/s"] * bool(one.read) + [f"writes {size(one.written)}/s"] * bool(one.written)
        parts += [f"rank {one.rank}"] * (one.rank is not None)
        parts += ["parent gone"] * one.orphan
    line = " ".join(one.command)
    told = f"{one.pid} {one.role}: {line[:80]}{'…' * (len(line) > 80)} ({', '.join(parts)})"
    more = f" and {plural(len(one.files) - 2, 'other file')}" if len(one.files) > 2 else ""
    return told + (f", writes {', '.join(one.files[:2])}{more}" if one.files else "")


def _read(family: tuple[int, ...]) -> str:
    first = next(iter(family), None)
    which = f"/proc/{first}" if len(family) == 1 else f"/proc/{{{','.join(map(str, family[:8]))}}}"
    return f"{which if family else '/proc/*'}/stat, cmdline, cwd, maps, fd, io, environ; {WATCHED:g} s apart"
