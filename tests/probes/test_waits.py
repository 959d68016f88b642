"""What threads wait for, from what the kernel and py-spy say."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from stetho.facts import Frame
from stetho.waits import Call, parse_call, parse_dump, parse_stack, told, waits_for

DUMP = (Path(__file__).parent / "samples" / "pyspy.json").read_text()
HANDLES = {3: "pipe:[991]", 4: "socket:[992]", 5: "/data/train.bin", 6: "/dev/nvidia0", 7: "/dev/pts/1"}


@pytest.mark.parametrize(
    ("call", "place", "words"),
    [
        (Call("futex"), "futex_wait_queue", "a lock or a signal of another thread"),
        (Call("read", 3), "anon_pipe_read", "data in a pipe"),
        (Call("write", 3), "pipe_write", "room in a pipe"),
        (Call("recvfrom", 4), "", "data from a socket"),
        (Call("read", 5), "rpc_wait_bit_killable", "an NFS server (/data/train.bin)"),
        (Call("read", 5), "folio_wait_bit_common", "a disk (/data/train.bin)"),
        (Call("read", 5), "", "data from /data/train.bin"),
        (Call("newfstatat", 4294967196), "nfs4_proc_getattr", "an NFS server"),
        (Call("openat"), "fuse_simple_request", "a FUSE file system"),
        (Call("ioctl", 6), "", "the GPU driver"),
        (Call("ioctl", 9), "nvidia_ioctl", "the GPU driver"),
        (Call("wait4"), "do_wait", "a child process to end"),
        (Call("clock_nanosleep"), "hrtimer_nanosleep", "time to pass (sleep)"),
        (Call("epoll_wait", 4), "ep_poll", "events (poll)"),
        (Call("read", 7), "wait_woken", "input from a terminal"),
        (Call("flock", 5), "", "a lock on a file (/data/train.bin)"),
        (Call("fsync", 5), "jbd2_log_wait_commit", "a disk (/data/train.bin)"),
        (Call("connect", 4), "inet_stream_connect", "a connection to be accepted"),
        (None, "rpc_wait_bit_killable", "an NFS server"),
        (None, "pipe_read", "data in a pipe"),
        (None, "", ""),
        (Call("system call 999"), "", ""),
    ],
)
def test_a_wait_is_put_into_words(call: Call | None, place: str, words: str) -> None:
    assert waits_for(call, place, lambda handle: HANDLES.get(handle, "")) == words


def test_a_call_is_known_by_the_machines_own_numbers() -> None:
    assert parse_call("202 0x1 0x2", "x86_64") == Call("futex", 1)
    assert parse_call("98 0x1 0x2", "aarch64") == Call("futex", 1)
    assert parse_call("63 0x4", "aarch64") == Call("read", 4)
    assert parse_call("999 0x4", "x86_64") == Call("system call 999", 4)
    for text in ("running\n", "-1 0x7ffd 0x7f2c", "", "202", "x y"):
        assert parse_call(text, "x86_64") is None
    assert parse_call("202 0x1", "riscv64") is None


def test_the_innermost_telling_place_of_a_kernel_stack_is_taken() -> None:
    text = "[<0>] schedule+0x1\n[<0>] futex_wait_queue+0x60/0x90\n[<0>] do_syscall_64+0x1\n"
    assert parse_stack(text) == "futex_wait_queue"
    assert parse_stack("nonsense\n[<0>] schedule+0x1") == ""


def test_a_rank_in_a_collective_is_told_with_the_users_line() -> None:
    main, feeder, nameless = parse_dump(DUMP)
    assert (main.pid, main.thread, main.name) == (812, 812, "MainThread")
    shown = "all_reduce (distributed/distributed_c10d.py:2810), called from step (/home/u/proj/train.py:88)"
    assert told(main.frames) == shown
    assert told(feeder.frames) == "wait (python3.11/threading.py:327)"
    assert nameless.name == "" and nameless.thread is None and told(nameless.frames) == ""


def test_a_stack_is_told_by_the_library_that_waits_and_not_by_its_lock() -> None:
    def stack(*frames: tuple[str, str]) -> tuple[Frame, ...]:
        return tuple(Frame(function, file, 7) for function, file in frames)

    site, own = "/v/lib/python3.11/site-packages", ("main", "/p/train.py")
    lock = ("wait", "/usr/lib/python3.11/threading.py")
    loader = ("_try_get_data", f"{site}/torch/utils/data/dataloader.py")
    hub = ("http_get", f"{site}/huggingface_hub/file_download.py")
    assert told(stack(lock, loader, own)) == "_try_get_data (data/dataloader.py:7), called from main (/p/train.py:7)"
    assert told(stack(lock, hub, own)).startswith("http_get (huggingface_hub/file_download.py:7)")
    assert told(stack(lock, own)) == "wait (python3.11/threading.py:7), called from main (/p/train.py:7)"
    assert told(stack(own)) == "main (/p/train.py:7)"


def test_a_broken_dump_is_read_as_far_as_it_makes_sense() -> None:
    draw = random.Random(1)
    for _ in range(500):
        text = list(DUMP[: draw.randrange(len(DUMP))] if draw.random() < 0.5 else DUMP)
        for _ in range(draw.randrange(8)):
            if text:
                text[draw.randrange(len(text))] = draw.choice('[]{},:"0x\\ \x00é')
        assert all(isinstance(told(stack.frames), str) for stack in parse_dump("".join(text)))
    for text in ("[1, null, {}]", "{}", "3", "[" * 100_000, '[{"frames": 7, "pid": "x", "thread_name": 4}]', ""):
        parse_dump(text)
