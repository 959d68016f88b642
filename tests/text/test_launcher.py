"""What launchers and watchdogs say of ranks: who failed first, and in which call each waited."""

from __future__ import annotations

import io

import pytest

from stetho import catalogue
from stetho.facts import Crash, RankCalls, RunEnd, Whereabouts
from stetho.logged.standing import alone
from stetho.reader import Reading
from stetho.text import log, telling, whereabouts
from stetho.text.calls import plain
from stetho.text.launcher import first_failure

REPORT = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
Failures:
[1]:
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 15081)  (SIGTERM)
  traceback : Signal 15 (SIGTERM) received by PID 15081
Root Cause (first observed failure):
[0]:
  time      : 2026-11-16_14:17:19
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : {code} (pid: 15082)
  error_file: <N/A>
"""
WATCHDOG = (
    "[rank{rank}]:[E702 08:29:50.1 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum=1832, OpType={name}, NumelIn={size}, NumelOut=9, Timeout(ms)=600000) ran for 600000 "
    "milliseconds before timing out.\n"
)


def facts(text: str) -> list[object]:
    read = log.read(io.BytesIO(text.encode()), tuple(catalogue.load().phrases.values()))
    return [one.fact for one in telling.readings(read, []) if isinstance(one, Reading)]


@pytest.mark.parametrize(
    ("code", "signal", "kept"), [("-9", "SIGKILL", None), ("1", None, 1), ("-11", "SIGSEGV", None)]
)
def test_the_first_failure_is_the_end(code: str, signal: str | None, kept: int | None) -> None:
    (end,) = [fact for fact in facts("step 1 loss 2.0\n" + REPORT.format(code=code)) if isinstance(fact, RunEnd)]
    assert (end.code, end.signal) == (kept, signal)


def test_a_report_without_a_root_says_nothing() -> None:
    assert first_failure([(n, line.encode()) for n, line in enumerate(REPORT.split("Root")[0].split("\n"))]) is None
    assert first_failure([(1, b"Root Cause (first observed failure):")]) is None


def test_a_lost_peer_does_not_explain_a_kill() -> None:
    lost = (
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/me/train.py", line 30, in main\n'
        "[rank0]:     loss.backward()\n"
        "[rank0]: RuntimeError: Read error [127.0.0.1]:52407: Connection reset by peer\n"
    )
    found = [type(fact) for fact in facts(lost + REPORT.format(code="-9")) if isinstance(fact, Crash | RunEnd)]
    assert found == [Crash, RunEnd]


def test_every_watchdog_tells_its_call() -> None:
    text = "".join(WATCHDOG.format(rank=r, name="ALLGATHER" if r == 1 else "ALLREDUCE", size=r) for r in range(3))
    (calls,) = [fact for fact in facts(text) if isinstance(fact, RankCalls)]
    told = sorted((one.rank, one.name, one.sequence, one.elements) for one in calls.calls)
    assert told == [("0", "allreduce", 1832, 0), ("1", "allgather", 1832, 1), ("2", "allreduce", 1832, 2)]


def test_one_watchdog_alone_compares_nothing() -> None:
    (one,) = [f for f in facts(WATCHDOG.format(rank=0, name="ALLREDUCE", size=1)) if isinstance(f, RankCalls)]
    assert alone(one)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("nccl:all_reduce", "allreduce"),
        ("ALLREDUCE", "allreduce"),
        ("nccl:_all_gather_base", "allgatherbase"),
        ("all_gather_into_tensor", "allgather"),
        ("all_gather_object", "allgather"),
    ],
)
def test_a_call_has_one_name(name: str, same: str) -> None:
    assert plain(name) == same


@pytest.mark.parametrize(
    ("text", "pids", "hosts"),
    [
        ("trainer started, pid 8812\n", (8812,), ()),
        ('{"pid": 77, "host": "n03"}\n', (77,), ("n03",)),
        ("Out of memory: Killed process 4711 (python), pid=4711\n", (), ()),
        ("hostname: gpu-12.cluster PID=9\n", (9,), ("gpu-12.cluster",)),
        ("loss 0.3 rapid 4\n", (), ()),
    ],
)
def test_a_log_names_its_own_processes(text: str, pids: tuple[int, ...], hosts: tuple[str, ...]) -> None:
    found = [one.fact for one in whereabouts.readings(text.encode(), [])]
    assert found == ([Whereabouts(pids, hosts)] if pids or hosts else [])
