"""How fast a run went: what a logged time is of, throughputs, waits, devices and ranks."""

from __future__ import annotations

import numpy as np
import pytest

from stetho.facts import Pace, RankTimes, Statement, Statements
from stetho.logged.assembly import facts_of
from stetho.logged.known import Known
from stetho.logged.speed import rank_times, with_slowest_rank, with_words
from stetho.logged.times import time_of
from stetho.series import Series


def series(name: str, values: object, *, times: object = None, file: str = "train.log") -> Series:
    every = np.asarray(values, dtype=np.float64)
    clock = None if times is None else np.asarray(times, dtype=np.float64)
    return Series(name, every, file, np.arange(len(every)) * 10, times=clock)


def pace_of(*given: Series) -> Pace:
    facts = [one.fact for one in facts_of([("text-log", one) for one in given])]
    return next(fact for fact in facts if isinstance(fact, Pace))


@pytest.mark.parametrize(
    ("name", "part", "unit"),
    [
        ("step_time", "step", 1.0),
        ("s/it", "step", 1.0),
        ("elapsed time per iteration (ms)", "step", 1e-3),
        ("train/dt", "step", 1.0),
        ("data_time", "data", 1.0),
        ("time/data_ms", "data", 1e-3),
        ("dataloader_wait", "data", 1.0),
        ("allreduce_wait", "peer", 1.0),
        ("grad_sync_ms", "peer", 1e-3),
        ("compute", "compute", 1.0),
        ("fwd_bwd_time", "compute", 1.0),
        ("tokens_per_sec", "rate", 1.0),
        ("train_samples_per_second", "rate", 1.0),
        ("it/s", "rate", 1.0),
        ("gpu0/utilization.gpu", "use", 1.0),
        ("system/gpu.3.gpu", "use", 1.0),
    ],
)
def test_a_time_is_known_by_its_words(name: str, part: str, unit: float) -> None:
    found = time_of(name)
    assert found is not None
    assert (found.part, found.unit) == (part, unit)


@pytest.mark.parametrize(
    "name",
    ["loss", "lr", "total_time", "time_elapsed", "eta", "epoch_time", "eval_time", "val/samples_per_second", "acc_s"],
)
def test_other_numbers_are_no_times_of_a_step(name: str) -> None:
    assert time_of(name) is None


def test_a_throughput_goes_before_the_time_of_a_step() -> None:
    loss = series("loss", np.linspace(4, 1, 60))
    pace = pace_of(loss, series("step_time", np.linspace(0.2, 0.8, 60)), series("tokens/s", [900.0] * 60))
    assert (pace.told_by, pace.inverse) == ("tokens/s", True)
    assert pace_of(loss, series("step_time", [0.2] * 60)).seconds[0] == pytest.approx(0.2)


def test_a_time_that_is_counted_from_the_start_is_none_of_a_step() -> None:
    facts = facts_of([("text-log", series("loss", [1.0] * 60)), ("text-log", series("time", np.arange(60) * 1.3))])
    assert not [one for one in facts if isinstance(one.fact, Pace)]


def test_the_wait_for_data_is_a_share_of_the_step_or_of_the_clock() -> None:
    loss, waits = series("loss", [1.0] * 60), series("data_time", [0.9] * 60)
    assert pace_of(loss, waits, series("time", [1.0] * 60)).data_share == pytest.approx(0.9)
    clocked = series("loss", [1.0] * 60, times=1.7e9 + np.arange(60) * 20.0)
    found = pace_of(clocked, series("data_wait", [1.0] * 60, times=1.7e9 + np.arange(60) * 20.0))
    assert found.data_share == pytest.approx(0.5, abs=0.02)


def test_a_wait_that_is_longer_than_its_step_is_something_else() -> None:
    assert pace_of(series("data_time", [9.0] * 60), series("step_time", [1.0] * 60)).data_share is None


def test_devices_are_idle_only_where_the_log_says_that_none_is_used() -> None:
    known = list(facts_of([("nvidia-smi", series("gpu0/utilization.gpu", [0.0] * 40, file="smi.csv"))]))
    said = Statements((Statement("device-not-used", "using cpu", 1),))
    (pace,) = [one.fact for one in with_words(known, [said]) if isinstance(one.fact, Pace)]
    assert pace.device_use == (0.0,) and pace.device_left_out
    (pace,) = [one.fact for one in with_words(known, [Statements()]) if isinstance(one.fact, Pace)]
    assert not pace.device_left_out


def ranks(seconds: list[float], name: str = "compute_time") -> list[Known]:
    return list(rank_times([(rank, series(name, [took] * 20)) for rank, took in enumerate(seconds)]))


def test_the_rank_that_all_wait_for_is_named() -> None:
    (known,) = ranks([0.4, 0.41, 1.9, 0.4])
    assert isinstance(known.fact, RankTimes)
    found = known.fact.slowest()
    assert found is not None and found[0].rank == 2
    (*_, pace) = with_slowest_rank([known])
    assert isinstance(pace.fact, Pace)
    assert pace.fact.slowest_rank == 2 and pace.fact.slowest_times == pytest.approx(1.9 / 0.41)


def test_a_small_difference_is_nobody_to_wait_for() -> None:
    (known,) = ranks([0.4, 0.41, 0.44])
    assert isinstance(known.fact, RankTimes) and known.fact.slowest() is None
    assert ranks([0.4]) == []
