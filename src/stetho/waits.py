"""What a thread waits for, in words: from its system call, the place in the kernel, and what its handle points at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stetho.facts.processes import Frame

X86 = {
    0: "read", 1: "write", 4: "stat", 5: "fstat", 7: "poll", 16: "ioctl", 17: "pread64", 18: "pwrite64", 19: "readv",
    20: "writev", 23: "select", 34: "pause", 35: "nanosleep", 42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom",
    46: "sendmsg", 47: "recvmsg", 61: "wait4", 65: "semop", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync",
    128: "rt_sigtimedwait", 130: "rt_sigsuspend", 202: "futex", 220: "semtimedop", 230: "clock_nanosleep",
    232: "epoll_wait", 247: "waitid", 257: "openat", 262: "newfstatat", 270: "pselect6", 271: "ppoll",
    281: "epoll_pwait",
    288: "accept4", 332: "statx", 426: "io_uring_enter", 441: "epoll_pwait2", 449: "futex_waitv", 454: "futex_wake",
    455: "futex_wait",
}  # fmt: skip
ARM = {
    22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 56: "openat", 63: "read", 64: "write", 65: "readv",
    66: "writev", 67: "pread64", 68: "pwrite64", 72: "pselect6", 73: "ppoll", 79: "newfstatat", 80: "fstat",
    82: "fsync",
    83: "fdatasync", 95: "waitid", 98: "futex", 101: "nanosleep", 115: "clock_nanosleep", 133: "rt_sigsuspend",
    202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom", 211: "sendmsg", 212: "recvmsg", 242: "accept4",
    260: "wait4", 291: "statx", 426: "io_uring_enter", 441: "epoll_pwait2", 449: "futex_waitv",
}  # fmt: skip
TABLES: Mapping[str, Mapping[int, str]] = {"x86_64": X86, "aarch64": ARM}
READS = ("read", "readv", "pread64", "recvfrom", "recvmsg")
WRITES = ("write", "writev", "pwrite64", "sendto", "sendmsg")
# The place in the kernel tells storage and drivers apart, which the call alone does not.
PLACES = (
    (re.compile(r"^(?:nfs\d?_|rpc_|rpcauth|nfs_wait|call_)"), "an NFS server"),
    (re.compile(r"fuse|request_wait_answer"), "a FUSE file system"),
    (re.compile(r"ptlrpc|^cl_|^ll_|osc_|lov_|ldlm"), "a Lustre server"),
    (re.compile(r"ceph"), "a Ceph server"),
    (re.compile(r"^nv|nvidia|uvm_|rm_"), "the GPU driver"),
    (re.compile(r"amdgpu|kfd_|dma_fence"), "the GPU driver"),
    (re.compile(r"jbd2|xfs_|btrfs|ext4_|submit_bio|blk_|io_schedule|folio_wait|wait_on_page|wait_on_buffer"), "a disk"),
    (re.compile(r"futex"), "a lock or a signal of another thread"),
    (re.compile(r"anon_pipe_read|pipe_read|pipe_wait_readable"), "data in a pipe"),
    (re.compile(r"pipe_write|pipe_wait_writable"), "room in a pipe"),
    (re.compile(r"unix_stream|unix_wait|skb_wait|sk_wait|tcp_|inet_|udp_|__skb"), "a socket"),
    (re.compile(r"do_wait|wait_consider"), "a child process to end"),
    (re.compile(r"nanosleep|hrtimer"), "time to pass (sleep)"),
    (re.compile(r"n_tty|tty_|wait_woken"), "input from a terminal"),
    (re.compile(r"ep_poll|poll_schedule|do_poll|do_select|do_sys_poll"), "events (poll)"),
    (re.compile(r"flock|locks_|posix_lock"), "a lock on a file"),
    (re.compile(r"do_signal_stop|ptrace_stop"), "being continued"),
    (re.compile(r"sigsuspend|sigtimedwait|pause"), "a signal"),
)
CALLS = {
    "futex": "a lock or a signal of another thread", "futex_waitv": "a lock or a signal of another thread",
    "futex_wait": "a lock or a signal of another thread", "wait4": "a child process to end",
    "waitid": "a child process to end", "nanosleep": "time to pass (sleep)", "clock_nanosleep": "time to pass (sleep)",
    "poll": "events (poll)", "ppoll": "events (poll)", "select": "events (poll)", "pselect6": "events (poll)",
    "epoll_wait": "events (poll)", "epoll_pwait": "events (poll)", "epoll_pwait2": "events (poll)",
    "connect": "a connection to be accepted", "accept": "somebody to connect", "accept4": "somebody to connect",
    "flock": "a lock on a file", "fcntl": "a lock on a file", "fsync": "a disk", "fdatasync": "a disk",
    "rt_sigsuspend": "a signal", "rt_sigtimedwait": "a signal", "pause": "a signal", "semop": "a semaphore",
    "semtimedop": "a semaphore", "openat": "a file to open", "newfstatat": "a file's description",
    "statx": "a file's description", "stat": "a file's description", "fstat": "a file's description",
}  # fmt: skip
# Collectives and rendezvous in torch, by the functions that wait in them.
COLLECTIVE = re.compile(
    r"^(?:all_reduce|all_gather\w*|reduce_scatter\w*|broadcast\w*|barrier|monitored_barrier|all_to_all\w*|reduce|gather\w*"
    r"|scatter\w*|send|recv|wait_for_|_store_based_barrier|init_process_group|_verify_params\w*|sync_)"
)


@dataclass(frozen=True)
class Call:
    """A system call that a thread is in: its name and its first argument."""

    name: str
    first: int = 0


def parse_call(text: str, machine: str) -> Call | None:
    """What /proc/PID/syscall says; None for a thread that runs, or where the machine's calls are not known."""
    words = text.split()
    table = TABLES.get(machine)
    if table is None or len(words) < 2 or not re.fullmatch(r"\d{1,4}", words[0]):
        return None
    first = int(words[1], 16) if re.fullmatch(r"0x[0-9a-f]{1,16}", words[1]) else 0
    return Call(table.get(int(words[0]), f"system call {words[0]}"), first)


def parse_stack(text: str) -> str:
    """The innermost place that says something, of /proc/PID/stack."""
    for line in text.split("\n"):
        match = re.match(r"\[<[0-9a-fx]+>\] (\w+)", line)
        if match is not None and any(pattern.search(match[1]) for pattern, _ in PLACES):
            return match[1]
    return ""


def waits_for(call: Call | None, place: str, pointed: Callable[[int], str]) -> str:
    """In words, what a thread waits for; `pointed` tells what a handle of the process points at."""
    known = next((words for pattern, words in PLACES if place and pattern.search(place)), "")
    storage = known.endswith(("server", "system", "driver", "disk"))
    if call is None:
        return known
    target = pointed(call.first) if call.name in (*READS, *WRITES, "ioctl", "fsync", "fdatasync", "flock") else ""
    if storage:
        return f"{known} ({target})" if target.startswith("/") else known
    if call.name in READS or call.name in WRITES:
        return _moved(call.name in READS, target)
    if call.name == "ioctl":
        return (
            "the GPU driver"
            if target.startswith(("/dev/nvidia", "/dev/kfd", "/dev/dri"))
            else known or f"a device {target}".strip()
        )
    named = CALLS.get(call.name, "")
    return f"{named} ({target})" if named and target.startswith("/") else named or known


def _moved(reads: bool, target: str) -> str:
    kinds = {"pipe:": ("data in a pipe", "room in a pipe"), "socket:": ("data from a socket", "room in a socket")}
    for start, words in kinds.items():
        if target.startswith(start):
            return words[not reads]
    if target.startswith(("/dev/pts", "/dev/tty")):
        return "input from a terminal" if reads else "a terminal to take output"
    return f"{'data from' if reads else 'a write to'} {target}" if target else "data" if reads else "a write"


@dataclass(frozen=True)
class Stack:
    """One thread of a py-spy dump."""

    pid: int
    thread: int | None
    name: str
    frames: tuple[Frame, ...]


def parse_dump(text: str) -> tuple[Stack, ...]:
    """What `py-spy dump --json` prints; what is not as expected is passed over."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    found = []
    for one in body if isinstance(body, list) else ():
        if not isinstance(one, dict):
            continue
        frames = one.get("frames")
        kept = [_frame(frame) for frame in (frames if isinstance(frames, list) else ())[:60] if isinstance(frame, dict)]
        name, thread, pid = one.get("thread_name"), one.get("os_thread_id"), one.get("pid")
        found.append(
            Stack(
                pid if isinstance(pid, int) else 0,
                thread if isinstance(thread, int) else None,
                name if isinstance(name, str) else "",
                tuple(kept),
            )
        )
    return tuple(found)


def _frame(frame: Mapping[str, object]) -> Frame:
    line = frame.get("line")
    return Frame(
        str(frame.get("name") or "?")[:200],
        str(frame.get("filename") or frame.get("short_filename") or "?")[:400],
        line if isinstance(line, int) and line > 0 else None,
    )


# Frames of libraries that say more than the innermost one, which mostly waits for a lock or a file descriptor.
_LOADER = re.compile(r"torch/utils/data/(?:dataloader|_utils/)")
_FETCHES = re.compile(r"_(?:try_)?get_data|_next_data|pin_memory_loop|_worker_loop|fetch")
_OUTSIDE = re.compile(r"/(?:huggingface_hub|fsspec|s3fs|gcsfs|boto3|requests|httpx|wandb|mlflow|datasets)/")


def _telling(frame: Frame) -> bool:
    if COLLECTIVE.match(frame.function) and "distributed" in frame.file:
        return True
    return bool((_LOADER.search(frame.file) and _FETCHES.match(frame.function)) or _OUTSIDE.search(frame.file))


def in_collective(frames: tuple[Frame, ...]) -> bool:
    """Whether a stack is inside an operation that all ranks must join."""
    return any(COLLECTIVE.match(frame.function) and "distributed" in frame.file for frame in frames)


def told(frames: tuple[Frame, ...]) -> str:
    """A Python stack in a few words: where it waits, and the line of the user's that led there."""
    if not frames:
        return ""
    inner = next((frame for frame in frames if _telling(frame)), frames[0])
    own = next((f for f in frames if not re.search(r"site-packages|dist-packages|/lib/python3|^<", f.file)), None)
    text = _at(inner)
    return f"{text}, called from {_at(own)}" if own is not None and own is not inner else text


def _at(frame: Frame) -> str:
    name = (
        "/".join(frame.file.split("/")[-2:])
        if "site-packages" in frame.file or "/lib/python3" in frame.file
        else frame.file
    )
    return f"{frame.function} ({name}{f':{frame.line}' if frame.line else ''})"
