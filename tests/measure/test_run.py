"""The command, models and optimizers, time, memory, and how much of it all is on record."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from stetho import recording
from stetho.evidence import Place
from stetho.facts import (
    Amount,
    Loop,
    Memory,
    Models,
    Optimizers,
    Recorded,
    RunSetup,
    Setting,
    StepTimes,
)

from .lines import HEAD, INF, MAKE, fact, line, read, steps, summary, told, write


def test_the_command_and_its_plan(tmp_path: Path) -> None:
    planned = line("planned", steps=None, loops=[["/w/train.py", 3, 100], ["/w/train.py", 2, None]])
    record = read(tmp_path, planned)
    setup = fact(RunSetup, record)
    assert (setup.command, setup.cwd) == (("train.py", "--lr", "1"), "/w")
    assert (setup.python, setup.torch, setup.threads, setup.rank, setup.world) == ("3.11", "2", 1, 0, 1)
    assert setup.planned_steps is None
    assert setup.loops == (Loop(Place("/w/train.py", 3), 100), Loop(Place("/w/train.py", 2), None))


def test_planned_steps(tmp_path: Path) -> None:
    record = read(tmp_path, line("planned", steps=300, loops=[]))
    assert fact(RunSetup, record).planned_steps == 300
    assert "plans 300 steps" in summary(RunSetup, record)


def test_a_run_without_a_step_still_has_a_command(tmp_path: Path) -> None:
    kinds = told(read(tmp_path))
    assert RunSetup in kinds and Optimizers in kinds and StepTimes not in kinds


def test_models_with_their_size_and_settings(tmp_path: Path) -> None:
    model = {
        "class": "Net", "site": 1, "args": {"width": 8, "act": "relu", "bias": True, "scale": "inf"}, "parameters": 10,
        "trainable": 4, "frozen": [], "shared": [], "dtypes": {"float16": 2, "float32": 8}, "devices": {"cpu": 10},
    }  # fmt: skip
    (net,) = fact(Models, read(tmp_path, line("model", **model))).models
    assert (net.name, net.where, net.parameters, net.trainable) == ("Net", MAKE, 10, 4)
    assert net.settings == (
        Setting("width", "8", 8.0), Setting("act", "relu"), Setting("bias", "True"), Setting("scale", "inf", INF),
    )  # fmt: skip
    assert net.dtypes == (Amount("float32", 8), Amount("float16", 2)) and net.devices == (Amount("cpu", 10),)


def test_a_model_of_which_nothing_is_known(tmp_path: Path) -> None:
    (net,) = fact(Models, read(tmp_path, line("model"))).models
    assert (net.name, net.where, net.parameters, net.settings, net.dtypes) == ("model", None, None, (), ())


def test_optimizers_and_their_steps(tmp_path: Path) -> None:
    made = line(
        "optimizer", o=1, name="AdamW", site=0, lr=[0.1, None], momentum=None, decay=0.01,
        settings={"lr": 0.1, "betas": [0.9, 0.999], "amsgrad": False}, groups=[5, 6], fused=True,
    )  # fmt: skip
    sgd, adam = fact(Optimizers, read(tmp_path, made, steps(0, [1.0] * 3), steps(0, [1.0] * 2, optimizer=1))).optimizers
    assert (sgd.name, sgd.steps, sgd.fused, sgd.settings, sgd.group_sizes) == ("SGD", 3, None, (), ())
    assert (adam.steps, adam.rates, adam.momentum, adam.decay, adam.fused) == (2, (0.1,), None, 0.01, True)
    assert adam.group_sizes == (5, 6)
    assert adam.settings == (Setting("lr", "0.1", 0.1), Setting("betas", "[0.9, 0.999]"), Setting("amsgrad", "False"))


# --- time ----------------------------------------------------------------------------------------------------


def test_the_time_of_steps_waits_and_evaluations(tmp_path: Path) -> None:
    seconds, waits = [9.0, 0.2, 0.8, 0.3, 0.1], [1.0, 0.1, 0.2, 0.1, 0.05]
    record = read(tmp_path, steps(0, [1.0] * 5, dt=seconds, dw=waits, vt=[0.0, 0.0, 0.5, 0.0, 0.0]))
    times = fact(StepTimes, record)
    assert (times.first, times.median, times.slowest, times.slowest_step) == (9.0, median(seconds[1:]), 0.8, 2)
    assert times.total == pytest.approx(sum(seconds))
    assert times.wait_total == pytest.approx(sum(waits)) and times.wait_median == median(waits)
    assert (times.validation_total, times.validations) == (0.5, 1)
    assert (times.steps, times.seconds, times.waits) == (tuple(range(5)), tuple(seconds), tuple(waits))
    assert "14% of the time waits for data" in summary(StepTimes, record)


def test_one_step_is_its_own_median(tmp_path: Path) -> None:
    times = fact(StepTimes, read(tmp_path, steps(0, [1.0], dt=[3.0])))
    assert (times.first, times.median, times.slowest, times.slowest_step) == (3.0, 3.0, 3.0, 0)
    assert (times.wait_median, times.wait_total, times.validation_total, times.validations) == (None,) * 4


def test_waits_that_are_known_for_some_steps_only_are_no_series(tmp_path: Path) -> None:
    times = fact(StepTimes, read(tmp_path, steps(0, [1.0] * 2), steps(2, [1.0], dw=[0.1])))
    assert (times.waits, times.wait_total) == ((), 0.1)


def test_old_recordings_do_not_tell_the_time(tmp_path: Path) -> None:
    assert StepTimes not in told(read(tmp_path, line("step", o=0, i=0, loss=[[0, 1.0]], lr=[0.1], g=1.0)))


# --- memory --------------------------------------------------------------------------------------------------


def test_memory_at_the_end_of_each_block(tmp_path: Path) -> None:
    blocks = [steps(3 * i, [1.0] * 3, rss=100 + i, peak=500 + i, gpu=7 - i) for i in range(3)]
    memory = fact(Memory, read(tmp_path, *blocks))
    assert (memory.steps, memory.resident, memory.highest) == ((2, 5, 8), (100, 101, 102), 502)
    assert (memory.device, memory.device_highest) == ((7, 6, 5), 7)


def test_without_an_accelerator_its_memory_is_unknown(tmp_path: Path) -> None:
    memory = fact(Memory, read(tmp_path, steps(0, [1.0] * 4, rss=100, every=5)))
    assert (memory.steps, memory.device, memory.device_highest, memory.highest) == ((15,), (), None, 100)


def test_memory_that_was_not_read(tmp_path: Path) -> None:
    assert Memory not in told(read(tmp_path, steps(0, [1.0])))


# --- how much is on record -----------------------------------------------------------------------------------


def test_a_short_run_is_on_record_whole(tmp_path: Path) -> None:
    kept = fact(Recorded, read(tmp_path, steps(0, [1.0] * 3)))
    assert (kept.steps, kept.recorded, kept.thinned, kept.full, kept.faults) == (3, 3, False, False, 0)
    assert kept.processes == 1


def test_a_long_run_keeps_fewer_of_its_older_steps(tmp_path: Path) -> None:
    write(tmp_path, HEAD + steps(0, [1.0] * 2), "r0-1.jsonl")
    write(tmp_path, line("thinned") + steps(2, [1.0] * 2, every=4), "r0-1.1.jsonl")
    fault = line("fault", error="x", hook="y", at="z")
    write(tmp_path, steps(10, [1.0]) + line("full") + fault, "r0-1.2.jsonl")
    kept = fact(Recorded, recording.read(tmp_path))
    assert (kept.steps, kept.recorded, kept.thinned, kept.full, kept.faults) == (11, 5, True, True, 1)
