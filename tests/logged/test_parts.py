"""Parts of one run, and what a kernel's log says of it and of others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stetho.artifact import Artifact
from stetho.facts import (
    ConfigValue,
    Fact,
    KernelEvent,
    KernelLog,
    Progress,
    RunEnd,
    Statement,
    Statements,
    Whereabouts,
)
from stetho.logged.ending import Told
from stetho.logged.parts import KERNEL, about_this_run, outlived_parts
from stetho.logged.plan import with_plan
from stetho.logged.walk import Left
from stetho.reader import Reading
from stetho.series import Series

BEGUN = 1_780_000_000.0
KILL = KernelEvent("oom-kill", "Out of memory: Killed process 4711 (python)", 3, pid=4711, process="python")
SAID = Statements((Statement("oom-kill", "Out of memory: Killed process 4711 (python)", 3),))


def log(name: str, first: int, last: int, *facts: Fact, begun: float = BEGUN) -> Left:
    steps = np.arange(first, last)
    loss = Series("loss", np.ones(len(steps)), name, steps, times=begun + steps * 1.0)
    return Left(Artifact(name, Path("/nowhere") / name, 9, 0.0), "text-log", (loss, *(Reading(f, "x") for f in facts)))


def kernel(*events: KernelEvent) -> Left:
    facts = (KernelLog(events, 9), SAID, RunEnd(None, "SIGKILL"))
    return Left(Artifact("dmesg", Path("/nowhere/dmesg"), 9, 0.0), KERNEL, tuple(Reading(f, "x") for f in facts))


def told(*left: Left) -> list[Told]:
    return [Told(one.artifact, piece) for one in left for piece in one.pieces if isinstance(piece, Reading)]


def kinds(found: list[Told]) -> list[str]:
    return [one.reading.fact.fact for one in found]


def test_what_a_later_part_outlived_is_not_the_end() -> None:
    preempted = Statements((Statement("preemption", "DUE TO PREEMPTION", 90),))
    first, second = log("a", 0, 100, preempted, RunEnd(None, "SIGTERM")), log("b", 95, 300, begun=BEGUN + 50)
    (one,) = outlived_parts([first, second], told(first, second))
    assert isinstance(one.reading.fact, Statements)
    assert one.reading.fact.said[0].lines_after > 100


def test_another_run_at_the_same_time_does_not_go_on() -> None:
    first, second = log("a", 0, 100, RunEnd(None, "SIGTERM")), log("b", 60, 300, begun=BEGUN - 50)
    assert kinds(outlived_parts([first, second], told(first, second))) == ["run-end"]


@pytest.mark.parametrize(
    ("event", "own", "counts"),
    [
        (KILL, (), True),
        (KILL, (Whereabouts((4711,)),), True),
        (replace(KILL, process="chrome"), (), False),
        (replace(KILL, process="chrome", pid=8), (Whereabouts((8,)),), True),
        (KILL, (RunEnd(0),), False),
        (replace(KILL, when="2026-05-28T20:30:00"), (), True),
        (replace(KILL, when="2026-05-20T20:30:00"), (), False),
        (replace(KILL, when="Thu May 28 20:30:00 2026"), (), True),
        (replace(KILL, when="May 20 20:30:00"), (), False),
    ],
)
def test_a_kill_is_of_this_run_or_of_another(event: KernelEvent, own: tuple[Fact, ...], counts: bool) -> None:
    run, system = log("t", 0, 100, *own), kernel(event)
    found = about_this_run([run, system], told(run, system))
    ours = [one.reading.fact for one in found if one.artifact.name == "dmesg"]
    assert any(isinstance(fact, RunEnd) for fact in ours) == counts
    assert [fact.said for fact in ours if isinstance(fact, Statements)] == [SAID.said if counts else ()]


@pytest.mark.parametrize(
    ("head", "settings", "total"),
    [
        ("Training starts at step 1, total steps 10000 (warmup 200)", (), 10_000),
        ("Total optimization steps = 12,000", (), 12_000),
        ("Namespace(max_iters=5000, lr=0.1)", (), 5000),
        ("", (ConfigValue("trainer.max_steps", "700", 700.0),), 700),
        ("warmup_steps=900 log_steps=700", (ConfigValue("save_steps", "700", 700.0),), None),
        ("max_steps=110", (), None),
    ],
)
def test_the_plan_is_read_where_the_lines_do_not_count_to_it(
    tmp_path: Path, head: str, settings: tuple[ConfigValue, ...], total: int | None
) -> None:
    file = tmp_path / "t.log"
    file.write_text(head + "\n")
    loss = Series("loss", np.ones(11), "t.log", np.arange(11) * 10)
    given = [Told(Artifact("t.log", file, 9, 0.0), Reading(Progress(step=100), "x"))]
    (one,) = with_plan(given, settings, [loss])
    assert isinstance(one.reading.fact, Progress) and one.reading.fact.total == total


@pytest.mark.parametrize(
    ("words", "end", "counts"),
    [
        ("Out of memory: Killed process 991 (chrome) total-vm:9kB", None, False),
        ("Out of memory: Killed process 991 (python3) total-vm:9kB", None, True),
        ("Out of memory: Killed process 991 (python3) total-vm:9kB", 0, False),
    ],
)
def test_a_few_lines_of_a_systems_log_are_of_this_run_or_of_another(words: str, end: int | None, counts: bool) -> None:
    own = (RunEnd(code=0),) if end == 0 else ()
    said = Reading(Statements((Statement("oom-kill", words, 1),)), "x", 1)
    left = (
        log("train.log", 0, 90, *own),
        Left(
            Artifact("sys.txt", Path("/nowhere/sys.txt"), 9, 0.0),
            "text-log",
            (said, Reading(RunEnd(None, "SIGKILL"), "x", 1)),
        ),
    )
    found = [one.reading.fact for one in about_this_run(left, told(*left))]
    assert any(isinstance(fact, RunEnd) and fact.signal for fact in found) == counts
    assert any(isinstance(fact, Statements) and fact.said for fact in found) == counts
