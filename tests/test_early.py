"""A changed run is ended early only when going on would not change what is said of it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stetho import catalogue, measure, recording
from stetho.early import first_reason, outcome_decided
from stetho.executors import local
from stetho.executors.protocol import Progress, Watcher
from stetho.experiment import Bound, Job
from stetho.facts import LossCurve, RunEnd
from stetho.inquiry import Facts
from stetho.outcome import judge_outcome

CATALOGUE = catalogue.load()
STEPS = 240
Shape = Callable[[float], float]
SHAPES: dict[str, Shape] = {
    "flat": lambda t: 2.3,
    "learns": lambda t: 0.02 + 2.28 * math.exp(-12 * t),
    "learns late": lambda t: 2.3 if t < 0.7 else 0.05,
    "learns, then breaks": lambda t: 0.02 + 2.28 * math.exp(-12 * t) if t < 0.8 else 40.0,
    "learns, then NaN": lambda t: 0.02 + 2.28 * math.exp(-12 * t) if t < 0.55 else math.nan,
    "explodes": lambda t: 2.3 * math.exp(30 * t),
    "explodes to inf": lambda t: 2.3 * 10 ** (50 * t) if t < 0.75 else math.inf,
    "jumps up and stays": lambda t: 2.3 if t < 0.1 else 900.0,
    "a little better": lambda t: 2.3 - 0.8 * t,
}


def facts(values: list[float]) -> Facts:
    bad = next((i for i, v in enumerate(values) if not math.isfinite(v)), None)
    curve = LossCurve(
        tuple(values), tuple(range(len(values))), chance=2.303, nonfinite_step=bad, nonfinite_in="loss" if bad else None
    )
    return {LossCurve: ("", curve), RunEnd: ("", RunEnd(0, None, len(values), 5.0))}


def drawn(name: str, seed: int) -> list[float]:
    random_ = random.Random(f"{name}{seed}")
    return [SHAPES[name](i / STEPS) * (1 + random_.gauss(0, 0.03)) for i in range(STEPS)]


def stopped_at(watch: Watcher, values: list[float], every: int) -> int | None:
    """The step at which a watcher that looks now and then ends the run."""
    for step in range(every, len(values) + 1, every):
        if watch(Progress(0.1 * step, step, values[step - 1])):
            return step
    return None


@pytest.mark.parametrize("base", ["flat", "learns", "a little better", "learns, then NaN"])
@pytest.mark.parametrize("changed", SHAPES)
def test_ending_early_never_changes_the_outcome(base: str, changed: str) -> None:
    ours, theirs = facts(drawn(base, 0)), drawn(changed, 1)
    whole = judge_outcome(ours, facts(theirs), CATALOGUE)
    for every in (1, 3, 7, 13):
        step = stopped_at(outcome_decided(ours), theirs, every)
        assert (step is not None) == (changed in ("learns, then NaN", "explodes to inf")), every
        if step is not None:
            assert step < 0.9 * STEPS
            assert judge_outcome(ours, facts(theirs[:step]), CATALOGUE).outcome == whole.outcome


def test_a_nan_that_goes_away_again_ends_nothing() -> None:
    values = [math.nan if i % 10 == 0 else 1.0 for i in range(STEPS)]
    assert stopped_at(outcome_decided(facts(drawn("flat", 0))), values, 1) is None


def test_one_loss_of_several_decides_nothing() -> None:
    two = {LossCurve: ("", LossCurve((1.0,) * 50, objectives=2))}
    assert stopped_at(outcome_decided(two), drawn("learns, then NaN", 0), 1) is None
    assert stopped_at(outcome_decided({}), drawn("learns, then NaN", 0), 1) is None


def test_one_watcher_of_several_is_enough() -> None:
    told: list[int] = []

    def keep(progress: Progress) -> None:
        told.append(progress.steps)

    watch = first_reason(keep, lambda p: "a" if p.steps > 3 else None, lambda p: "b")
    assert watch(Progress(0.0, 2, None)) == "b"
    assert watch(Progress(0.0, 9, None)) == "a"
    assert told == [2, 9]


PROGRAM = """
import os, time, torch
torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=float(os.environ["RATE"]))
for step in range(150):
    time.sleep(0.01)
    x = torch.randn(64, 8)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_a_real_pair_ends_alike_with_and_without(write: Callable[[str, str], Path], tmp_path: Path) -> None:
    write("train.py", PROGRAM)
    job = Job(("python", "train.py"), str(tmp_path), 0, Bound(120.0, 150), environment={"RATE": "0.01"})
    base = observed(job)
    broken = replace(job, environment={"RATE": "1e9"})
    whole, early = observed(broken), observed(broken, outcome_decided(base))
    assert [judge_outcome(base, found, CATALOGUE).outcome for found in (whole, early)] == ["new-failure"] * 2
    taken = [found[RunEnd][1] for found in (whole, early)]
    assert isinstance(taken[0], RunEnd) and isinstance(taken[1], RunEnd)
    assert (taken[1].stopped_by, taken[0].steps) == ("decided", 150) and taken[1].steps < 150


def observed(job: Job, watch: Watcher | None = None) -> Facts:
    ran = local.run(job, watch)
    record = recording.read(ran.recording)
    found = {type(f): ("", f) for f, _ in measure.facts(record)}
    end = RunEnd(ran.code, ran.signal, measure.taken(record.steps), ran.seconds, record.attached, ran.stopped_by)
    ran.discard()
    return {**found, RunEnd: ("", end)}
