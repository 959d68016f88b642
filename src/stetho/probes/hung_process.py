import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from stetho.amounts import duration
from stetho.facts import Frame, ThreadStack, Waiting
from stetho.newest import last_written
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.probes.processes import moved
from stetho.procfs import text_of
from stetho.relatives import parse_stat, read_relative, role, stat_of
from stetho.tool import ask
from stetho.waits import Call, Stack, parse_call, parse_dump, parse_stack, told, waits_for

WATCHED = 0.7
MOST, MOST_RANKS = 40, 16
# A family that keeps less than this share of a core busy does not compute.
IDLE = 0.03
SYSCALL = "202 0x7f2c9c000b60 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd3a1b2c40 0x7f2cb0a3e117\n"
KERNEL_STACK = """[<0>] rpc_wait_bit_killable+0x1e/0xb0 [sunrpc]
[<0>] __rpc_execute+0x12b/0x4f0 [sunrpc]
[<0>] nfs_file_read+0x6a/0xd0 [nfs]
"""
DUMP = """[{"pid": 4711, "thread_id": 139952, "thread_name": "MainThread", "os_thread_id": 4711, "active": false,
"owns_gil": false, "frames": [
{"name": "all_reduce", "filename": "/v/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py",
"module": null, "short_filename": "distributed_c10d.py", "line": 2810, "locals": null, "is_entry": true},
{"name": "train", "filename": "/home/u/train.py", "short_filename": "train.py", "line": 88, "locals": null}],
"process_info": null}]"""


def parse_x86(text: str) -> Call | None:
    return parse_call(text, "x86_64")


@probe(
    gives=Waiting,
    reads="/proc/PID/task/*/{stat,wchan,syscall,stack}, twice; py-spy dump --json --pid PID",
    needs="the run's own user for system calls, root for kernel stacks; py-spy and the right to trace for Python's",
    limit=2.2,
    instead="sudo py-spy dump --pid PID; cat /proc/PID/task/*/wchan; sudo cat /proc/PID/task/*/stack",
    examples={
        "waits for a lock": Example(SYSCALL, parse_x86, Call("futex", 0x7F2C9C000B60)),
        "waits for a network disk": Example(KERNEL_STACK, parse_stack, "rpc_wait_bit_killable"),
        "a rank in all_reduce": Example(
            DUMP,
            parse_dump,
            (
                Stack(
                    4711,
                    4711,
                    "MainThread",
                    (
                        Frame(
                            "all_reduce", "/v/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", 2810
                        ),
                        Frame("train", "/home/u/train.py", 88),
                    ),
                ),
            ),
        ),
    },
)
def hung_process(target: Target) -> Iterator[Piece]:
    """What the threads of a process wait for, when neither it nor any of its family computes, or when it is asked for.

    ## What it reads
    Processor time and bytes moved over most of a second. Only when there is next to none, or with --pid, are threads
    looked at: the kernel's word for what each waits for, and Python's stacks through py-spy, which reads them without
    holding the process.

    ## What it leaves
    Without --pid, processes that spin: they are busy, and hang all the same. A wait is not a fault by itself.
    """
    family = [pid for pid in target.family if stat_of(pid) is not None]
    trainers = _trainers(target, family)
    if not family or (not trainers and target.pid is None):
        return  # tools and sessions wait for people
    # Of a launcher it is known that it waits; its ranks are what matters.
    pid = target.pid if target.pid in trainers else next(iter(trainers), family[0])
    begun = time.monotonic()
    cores, transferred = _busy(family)
    stat = stat_of(pid)
    if (cores > IDLE and target.pid is None) or stat is None or stat.state in ("zombie", "dead"):
        return
    threads = [thread_of(pid, thread) for thread in _threads(pid)[:MOST]]
    others = [thread_of(one, one) for one in trainers if one != pid][:MOST_RANKS]
    stacks, trouble = _python_stacks([pid, *(one.thread for one in others)], 1.8 - (time.monotonic() - begun))
    threads, others = ([_with_frames(one, stacks) for one in group] for group in (threads, others))
    written = last_written(target.folder, 0.2) if target.reachable else None
    fact = Waiting(
        pid=pid,
        threads=tuple(threads),
        cores=round(cores, 3),
        moved=transferred,
        watched=WATCHED,
        quiet=None if written is None else round(max(0.0, time.time() - written), 1),
        reachable=target.reachable,
        others=tuple(others),
    )
    read = f"/proc/{pid}/task/*/stat, wchan, syscall, stack" + (f"; py-spy dump --json --pid {pid}" if stacks else "")
    yield Seen(fact, summary(fact), read, tuple(_lines(threads, others)))
    if trouble is not None:
        yield trouble


def summary(fact: Waiting) -> str:
    main = next(iter(fact.threads), None)
    if fact.cores > IDLE:
        return f"pid {fact.pid} and its family keep {fact.cores:.1f} cores busy; its threads were asked for"
    waits = f"its main thread waits for {main.waits_for}" if main and main.waits_for else "why is not known"
    quiet = f"; nothing was written in the folder for {duration(fact.quiet)}" if fact.quiet is not None else ""
    return f"pid {fact.pid} does not compute; {waits}{quiet}"


def _busy(family: list[int]) -> tuple[float, int]:
    """The cores that a family keeps busy and the bytes that it moves, over most of a second."""
    before = {one: _progress(one) for one in family}
    begun = time.monotonic()
    time.sleep(WATCHED)
    after = {one: _progress(one) for one in family}
    ticks, transferred = (sum(max(0, after[one][n] - before[one][n]) for one in family) for n in (0, 1))
    return ticks / os.sysconf("SC_CLK_TCK") / (time.monotonic() - begun), transferred


def _progress(pid: int) -> tuple[int, int]:
    stat, transferred = stat_of(pid), moved(pid)
    return (stat.ticks if stat else 0), sum(transferred or (0, 0))


def _threads(pid: int) -> list[int]:
    try:
        return sorted((int(name) for name in os.listdir(f"/proc/{pid}/task")), key=lambda one: (one != pid, one))
    except OSError:
        return [pid]


def _trainers(target: Target, family: list[int]) -> list[int]:
    """The trainers of the family, as ranks that wait for each other."""
    folder = str(target.folder)
    found = {one: read_relative(stat, folder) for one in family if (stat := stat_of(one)) is not None}
    return [one for one, process in found.items() if role(process, found, folder) == "trainer"]


def thread_of(pid: int, thread: int) -> ThreadStack:
    """One thread as the kernel sees it."""
    place = f"/proc/{pid}/task/{thread}"
    text = text_of(f"{place}/stat", 4096) or ""
    stat = parse_stat(text)
    letter = text[text.rfind(")") + 2 : text.rfind(")") + 3]
    call = parse_call(text_of(f"{place}/syscall", 256) or "", platform.machine())
    channel = (text_of(f"{place}/wchan", 128) or "").strip()
    inner = parse_stack(text_of(f"{place}/stack", 8192) or "") or (channel if channel != "0" else "")
    words = waits_for(call, inner, lambda handle: _pointed(pid, handle)) if letter in ("S", "D", "T", "t") else ""
    shown = ", ".join(part for part in (call.name if call else "", inner) if part)
    return ThreadStack(thread, stat.name if stat else "", letter, words, shown)


def _pointed(pid: int, handle: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/fd/{handle}")
    except OSError:
        return ""


def _python_stacks(pids: list[int], seconds: float) -> tuple[Mapping[int, Stack], Unknown | None]:
    """Python's stacks by thread, from as many processes as there is time for."""
    tool = shutil.which("py-spy") or _beside()
    what = f"Python stacks of pid {pids[0]}"
    if tool is None:
        return {}, Unknown(what, "py-spy is not installed", f"pip install py-spy; sudo py-spy dump --pid {pids[0]}")
    found: dict[int, Stack] = {}
    until = time.monotonic() + seconds
    trouble = None
    for pid in pids:
        left = until - time.monotonic()
        if left < 0.15:
            break
        said = ask(tool, "dump", "--json", "--nonblocking", "--pid", str(pid), limit=min(left, 1.4))
        if not said.ok:
            why = said.failure.replace(tool, "py-spy")
            trouble = trouble or Unknown(what, why, f"sudo {tool} dump --pid {pid}", said.command)
        found |= {stack.thread: stack for stack in parse_dump(said.out) if stack.thread is not None}
    return found, trouble


def _beside() -> str | None:
    """py-spy in the environment that stetho itself is installed in."""
    path = Path(sys.executable).parent / "py-spy"
    return str(path) if os.access(path, os.X_OK) else None


def _with_frames(one: ThreadStack, stacks: Mapping[int, Stack]) -> ThreadStack:
    stack = stacks.get(one.thread)
    return one if stack is None else replace(one, frames=stack.frames, name=stack.name or one.name)


def _lines(threads: list[ThreadStack], others: list[ThreadStack]) -> Iterator[str]:
    """The main thread, the others by what they wait for, then the other ranks."""
    for one in threads[:1]:
        yield f"main thread: {_line(one)}"
    alike: dict[str, list[ThreadStack]] = {}
    for one in threads[1:]:
        alike.setdefault(_line(one), []).append(one)
    for line, ones in sorted(alike.items(), key=lambda item: (not item[1][0].frames, -len(item[1])))[:6]:
        yield f"{len(ones)} thread{'s' * (len(ones) > 1)}, {ones[0].name}: {line}"
    for one in others[:8]:
        yield f"pid {one.thread}: {_line(one)}"


def _line(one: ThreadStack) -> str:
    waits = f"waits for {one.waits_for}" if one.waits_for else {"R": "runs"}.get(one.state, f"state {one.state}")
    hard = ", cannot be interrupted" if one.state == "D" else ", stopped" if one.state in ("T", "t") else ""
    python = told(one.frames)
    return f"{waits}{hard}{f' [{one.call}]' if one.call and not python else ''}{f'; in {python}' if python else ''}"
