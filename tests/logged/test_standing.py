"""Where a run stood: collective calls that differ, stacks that wait, and for how long."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stetho.artifact import Artifact
from stetho.facts import Collective, Collectives, Fact, Frame, RankCalls, SavedStack, SavedStacks, Standstill
from stetho.logged.ending import Told
from stetho.logged.standing import standing
from stetho.reader import Reading
from stetho.series import Series

MAIN = SavedStack(1, (Frame("wait", "threading.py", 3), Frame("get", "queue.py", 1), Frame("main", "t.py", 9)), True)
WORKER = SavedStack(2, (Frame("acquire", "logging/__init__.py", 9), Frame("__getitem__", "d.py", 31)), True)


def told(name: str, fact: Fact) -> Told:
    return Told(Artifact(name, Path("/nowhere") / name, 9, 0.0), Reading(fact, "x"))


def dump(rank: int, call: str, sequence: int = 7) -> Told:
    return told(
        f"dump_{rank}", Collectives("2", rank, 9, 8, open=(Collective("0", sequence, f"nccl:{call}", "started"),))
    )


def stood(*given: Told, series: tuple[Series, ...] = ()) -> Standstill | None:
    return next((k.fact for k in standing(given, series) if isinstance(k.fact, Standstill)), None)


def test_ranks_in_different_calls_stand_apart() -> None:
    found = stood(dump(0, "all_reduce"), dump(1, "all_gather_into_tensor"), dump(2, "all_reduce"))
    assert found is not None and found.apart == "rank 0 in allreduce and rank 1 in allgather"


def test_ranks_in_the_same_call_do_not() -> None:
    assert stood(dump(0, "all_reduce"), dump(1, "_all_reduce"), dump(2, "all_gather", 6)) is None
    calls = [k.fact for k in standing([dump(0, "all_reduce"), dump(1, "all_reduce")], ())]
    assert [type(fact) for fact in calls] == [RankCalls]


def test_a_worker_that_waits_for_a_lock_closes_the_circle() -> None:
    found = stood(told("py-spy.txt", SavedStacks((MAIN, WORKER))))
    assert found is not None
    assert found.circle == (
        "pid 1 waits in wait (threading.py:3), called from main (t.py:9); "
        "pid 2 waits for a lock in acquire (logging/__init__.py:9), called from __getitem__ (d.py:31)"
    )
    assert [str(place) for place in found.where] == ["t.py:9", "d.py:31"]


def test_a_trainer_that_waits_for_its_loader_is_no_circle() -> None:
    found = stood(told("py-spy.txt", SavedStacks((MAIN,))))
    assert found is not None and (found.circle, found.idle, found.silent) == ("", 1, None)


def test_the_silence_before_a_look_is_measured_by_the_log() -> None:
    times = 1.7e9 + np.arange(20) * 2.0
    loss = Series("loss", np.ones(20), "t.log", np.arange(20), times=times)
    found = stood(told("py-spy.txt", SavedStacks((MAIN,), float(times[-1]) + 5000)), series=(loss,))
    assert found is not None and (found.silent, found.usual, found.step) == (5000.0, 2.0, 19)
