"""What an experiment will take is told from what was measured, a long start-up included."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stetho import catalogue, measure, recording
from stetho.cost import Cost, corrected, factor_of, measured
from stetho.executors import local
from stetho.executors.protocol import Ran
from stetho.experiment import Bound, Change, Experiment, Job, Limits
from stetho.facts import Recorded, RunEnd, StepTimes
from stetho.inquiry import Facts

SLOW_TO_START = """
import time
time.sleep(2.5)
import torch
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    time.sleep({pause})
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def seen(
    seconds: float, steps: int, *, first: float, median: float, total: float, recorded: int | None = None
) -> Facts:
    times = StepTimes(first, median, median, 1, total)
    whole = Recorded(steps, recorded or steps, recorded is not None, False, 0)
    return {type(f): ("", f) for f in (RunEnd(0, None, steps, seconds), times, whole)}


def test_a_run_is_its_start_up_its_steps_and_what_lies_beside_them() -> None:
    # Ten seconds in all: 100 later steps of 0.05 s, one second of evaluation among them.
    cost = measured(seen(10.0, 101, first=3.0, median=0.04, total=3.0 + 5.0))
    assert cost is not None
    assert cost.start_up == pytest.approx(5.0)
    assert cost.step == pytest.approx(0.04) and cost.beside == pytest.approx(0.01)
    assert cost.seconds(101) == pytest.approx(10.0)
    assert cost.seconds(1) == pytest.approx(5.0)
    assert cost.seconds(101, factor=3.0) == pytest.approx(5.0 + 100 * (0.12 + 0.01))


def test_a_thinned_recording_is_counted_up() -> None:
    cost = measured(seen(110.0, 1001, first=5.0, median=0.1, total=5.0 + 10.0, recorded=101))
    assert cost is not None and cost.seconds(1001) == pytest.approx(110.0)


def test_without_times_every_second_is_a_step_and_without_steps_nothing_is_known() -> None:
    assert measured({RunEnd: ("", RunEnd(0, None, 50, 10.0))}) == Cost(0.0, 0.2)
    assert measured({RunEnd: ("", RunEnd(1, None, 0, 10.0))}) is None


def ran(change: str, steps: int, seconds: float, outcome: str = "same") -> Experiment:
    return Experiment("X1", "control", Change(change), "", {}, outcome, "", seconds, steps)  # type: ignore[arg-type]


def test_experiments_correct_the_estimate() -> None:
    known, cost = catalogue.load(), Cost(2.0, 0.1)
    assert corrected(cost, [], known).seconds(11) == pytest.approx(3.0)
    assert corrected(cost, [ran("lr", 11, 6.0)] * 3, known).seconds(11) == pytest.approx(6.0)
    assert corrected(cost, [ran("lr", 11, 6.0)], known).seconds(11) == pytest.approx(6.0)
    assert corrected(cost, [ran("lr", 0, 0.0), ran("lr", 3, 60.0, "new-failure")], known) == cost
    assert corrected(cost, [ran("lr", 11, 600.0)], known).correction == 4.0
    assert factor_of(known, "fix hp/lr-too-high") == 1.0
    assert factor_of(known, "close-look") == known.intervention("close-look").cost


def test_a_limit_is_never_widened() -> None:
    assert Limits().within(Bound(9.0, 5)) == Bound(9.0, 5)
    assert Limits(3.0, 10, 100).within(Bound(9.0, 5)) == Bound(3.0, 5, 100)
    assert Limits(30.0, 2).within(Bound(9.0, None, 7)) == Bound(9.0, 2, 7)


def facts_of(one: Ran) -> Facts:
    record = recording.read(one.recording)
    found = {type(f): ("", f) for f, _ in measure.facts(record)}
    return {**found, RunEnd: ("", RunEnd(one.code, one.signal, measure.taken(record.steps), one.seconds))}


@pytest.mark.parametrize(("steps", "pause"), [(10, 0.05)])
def test_a_long_start_up_is_foreseen(
    steps: int, pause: float, write: Callable[[str, str], Path], tmp_path: Path
) -> None:
    """A run that is mostly start-up is not a quarter as dear for a quarter of its steps."""
    write("train.py", SLOW_TO_START.format(pause=pause))
    job = Job(("python", "train.py"), str(tmp_path), 0, Bound(120.0))
    base = local.run(job)
    cost = measured(facts_of(base))
    base.discard()
    assert cost is not None
    begun = time.monotonic()
    again = local.run(Job(job.command, job.cwd, 0, Bound(120.0, steps)))
    took = time.monotonic() - begun
    again.discard()
    assert 0.5 < cost.seconds(steps) / took < 2.0
