"""The kernel's log: every kind of event, whatever wrote the line, and nothing on a healthy machine's lines."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from stetho import kernel_log
from stetho.facts import KernelEvent
from stetho.probes.kernel import age

SAMPLES = Path(__file__).parent / "samples"


def read(name: str) -> list[KernelEvent]:
    return list(kernel_log.events((SAMPLES / name).read_text().split("\n")))


def test_every_event_of_a_bad_week_is_found_and_nothing_else() -> None:
    found = [(event.kind, event.pid, event.device) for event in read("dmesg.txt")]
    assert found == [
        ("nfs-stalled", None, "filer01"),
        ("nfs-back", None, "filer01"),
        ("segfault", 31337, "libtorch_cpu.so"),
        ("segfault", 31400, "libcudnn_ops.so.9"),
        ("segfault", 31401, "libmkl_core.so.2"),
        ("blocked", 4711, ""),
        ("xid", 4711, "0000:3b:00"),
        ("xid", None, "0000:86:00"),
        ("ecc", None, "MC0"),
        ("io-error", None, "sdb"),
        ("io-error", None, "sdb1"),
        ("io-error", None, "sdb1"),
        ("read-only", None, "sdb1"),
        ("oom-kill", 4711, ""),
        ("oom-kill", 5012, ""),
        ("io-error", None, "nvme1"),
        ("nfs-stalled", None, "filer02"),
        ("gpu-reset", None, "0000:c3:00.0"),
        ("throttled", None, "CPU7"),
        ("ecc", None, ""),
        ("io-error", None, "dm-3"),
    ]


def test_the_lines_of_one_kill_are_one_event_with_its_group_and_memory() -> None:
    (kill,) = [event for event in read("dmesg.txt") if event.pid == 4711 and event.kind == "oom-kill"]
    assert kill.cgroup == "/system.slice/docker-1f2e.scope"
    assert kill.process == "python" and kill.resident == (16574320 + 80000) * 1024
    assert kill.uptime == 9000.1006 and kill.line == 31


def test_a_kill_whose_second_line_is_cut_off_is_still_told() -> None:
    lines = (SAMPLES / "dmesg.txt").read_text().split("\n")[:30]
    kills = [event for event in kernel_log.events(lines) if event.kind == "oom-kill"]
    assert [(kill.pid, kill.process, kill.cgroup) for kill in kills] == [
        (4711, "python", "/system.slice/docker-1f2e.scope")
    ]


def test_a_process_keeps_its_name_behind_traps() -> None:
    assert [event.process for event in read("dmesg.txt") if event.kind == "segfault"] == [
        "python",
        "pt_main_thread",
        "python3",
    ]


def test_the_time_is_read_however_it_is_written() -> None:
    found = [(event.kind, event.when, event.uptime) for event in read("journal.txt")]
    assert found == [
        ("oom-kill", "Nov 16 03:12:44", 912345.112233),
        ("nfs-stalled", "2026-11-16T03:12:46+0000", None),
        ("xid", "1794798764.123456", None),
        ("segfault", "", 987.654321),
        ("nfs-stalled", "", 12.5),
        ("oom-kill", "Mon Nov 16 03:12:44 2026", None),
    ]


def test_an_age_comes_from_whichever_clock_the_line_has() -> None:
    def at(when: str = "", uptime: float | None = None) -> float | None:
        return age(KernelEvent("xid", "", 1, when, uptime), 1000.0, 1794798800.0)

    assert at(uptime=400.0) == 600.0
    assert at("1794798764.5") == 35.5
    assert at("2026-11-16T03:12:46+00:00") is not None
    assert at("Mon Nov 16 03:12:44 2026") is not None
    # Without a year it cannot be told.
    assert at("Nov 16 03:12:44") is None and at("nonsense") is None and at() is None


def test_thousands_of_alike_errors_become_a_few_and_the_last_one_stays() -> None:
    lines = [f"[{n}.5] blk_update_request: I/O error, dev sdb, sector {n}" for n in range(5000)]
    kept, left_out = kernel_log.newest(kernel_log.events(lines), 60)
    assert len(kept) == 4 and left_out == 4996
    assert kept[-1].line == 5000


def test_of_events_that_are_all_different_the_newest_stay() -> None:
    lines = [f"[{n}.5] Out of memory: Killed process {n} (python) anon-rss:8kB" for n in range(1, 5001)]
    kept, left_out = kernel_log.newest(kernel_log.events(lines), 60)
    assert [event.pid for event in kept] == list(range(4941, 5001)) and left_out == 4940


def test_a_lost_connection_names_its_server() -> None:
    line = "Lustre: work-OST0003-osc-ffff8801: Connection to work-OST0003 (at 10.0.0.3@o2ib) was lost; in progress"
    assert [(event.kind, event.device) for event in kernel_log.events([line])] == [
        ("nfs-stalled", "work-OST0003-osc-ffff8801")
    ]


def test_many_kills_without_a_second_line_do_not_pile_up() -> None:
    lines = [f"oom-kill:constraint=NONE,task=python,pid={n},uid=0" for n in range(1, 500)]
    assert [event.pid for event in kernel_log.events(lines)] == list(range(1, 500))


@pytest.mark.parametrize("name", ["dmesg.txt", "journal.txt"])
def test_mutated_and_cut_logs_are_read_without_a_failure(name: str) -> None:
    text, draw = (SAMPLES / name).read_bytes(), random.Random(5)
    for _ in range(400):
        broken = bytearray(text[: draw.randrange(len(text))])
        for _ in range(draw.randrange(1, 30)):
            if broken:
                broken[draw.randrange(len(broken))] = draw.randrange(256)
        for event in kernel_log.events(broken.decode("utf-8", "backslashreplace").split("\n")):
            assert event.kind and event.line > 0


def test_a_line_of_a_megabyte_is_cut_and_quickly_done() -> None:
    long = "[1.5] oom-kill:" + "task=," * 200_000
    assert list(kernel_log.events([long, "a" * 1_000_000, "I/O error, dev " + "x" * 1_000_000])) is not None
