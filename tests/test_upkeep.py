"""What steps come to cost: growth that is gone is told from growth that is little, and from noise."""

from __future__ import annotations

import random

from stetho import catalogue
from stetho.facts import Fact, KeptGraphs, RunEnd, StepTimes
from stetho.inquiry import Facts
from stetho.outcome import judge_outcome

MIB = 2**20
SEEN = (0, 1, 2, 5, 10, 20, 50, 100, 200)


def facts(*given: Fact) -> Facts:
    return {type(fact): (f"E{i}", fact) for i, fact in enumerate((*given, RunEnd(0, steps=201)))}


def held(each: float) -> KeptGraphs:
    """A process that begins with 300 MiB and holds so many more after each step."""
    zeros = (0,) * len(SEEN)
    return KeptGraphs(SEEN, zeros, zeros, zeros, zeros, tuple(int((300 + each * step) * MIB) for step in SEEN))


def timed(growth: float, seed: int = 0) -> StepTimes:
    """Steps of about ten milliseconds, the last of which take `growth` times as long as the first."""
    noise = random.Random(seed)
    seconds = tuple(0.01 * (1 + (growth - 1) * i / 200) * noise.lognormvariate(0, 0.2) for i in range(200))
    return StepTimes(0.01, 0.01, max(seconds), 0, sum(seconds), seconds=seconds)


def judged(base: Facts, changed: Facts, symptom: str = "none") -> tuple[str, str]:
    found = judge_outcome(base, changed, catalogue.load(), symptom=symptom, alters="upkeep")
    return found.outcome, found.detail


def test_memory_that_no_longer_grows_is_better() -> None:
    outcome, told = judged(facts(held(0.5)), facts(held(0.001)))
    assert outcome == "better" and "memory grows by 97.5 -> 0.195 MiB in 195 steps" in told
    assert judged(facts(held(0.001)), facts(held(0.5)))[0] == "worse"


def test_memory_that_hardly_grows_is_the_same() -> None:
    assert judged(facts(held(0.01)), facts(held(0.0)))[0] == "same"


def test_steps_that_no_longer_get_longer_are_better_whatever_memory_does() -> None:
    assert judged(facts(held(0.0), timed(5.0)), facts(held(0.0), timed(1.0, 1)))[0] == "better"
    assert judged(facts(timed(1.0)), facts(timed(1.0, 1)))[0] == "same"
    assert judged(facts(timed(2.0)), facts(timed(2.0, 1)))[0] == "same"


def test_a_symptom_of_cost_goes_with_it() -> None:
    assert judged(facts(held(0.5)), facts(held(0.0)), "memory-growing")[0] == "symptom-gone"


def test_without_a_measure_nothing_is_said() -> None:
    assert judged(facts(), facts())[0] == "undecided"
