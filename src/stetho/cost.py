"""How far an experiment goes, and what it is expected to take: start-up, steps and evaluation, as measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from stetho.catalogue import Catalogue
from stetho.experiment import Experiment
from stetho.facts import LossCurve, Recorded, RunEnd, StepTimes
from stetho.inquiry import Facts, Inquiry
from stetho.yardstick import fact_in

# Training that takes longer than this is not repeated whole for each experiment.
LONG_RUN = 20.0
LEAST_STEPS = 60
# A run that broke within its first steps is watched for so many: what it learns in fewer is hardly seen.
BEYOND_NAN = 120
# What an experiment is taken to cost before anything was measured.
UNKNOWN = 10.0
# How far earlier experiments may correct the estimate; beyond it, something else was the matter with them.
MOST_CORRECTION = 4.0


@dataclass(frozen=True)
class Cost:
    """What a run of a program takes, by its parts, in seconds."""

    start_up: float
    """Everything that is not steps: start of the program, imports, loading, the first step, and the end."""
    step: float
    """One usual step."""
    beside: float = 0.0
    """Evaluation and whatever else now and then comes between steps, spread over all of them."""
    correction: float = 1.0
    """Actual seconds over expected ones in the experiments so far."""

    def seconds(self, steps: int, factor: float = 1.0) -> float:
        """A run of so many steps, each of which costs `factor` times a usual one."""
        return self.correction * (self.start_up + max(0, steps - 1) * (self.step * factor + self.beside))


def measured(facts: Facts) -> Cost | None:
    """The cost of a run as the run itself shows it; None when it took no step."""
    end, times, whole = fact_in(facts, RunEnd), fact_in(facts, StepTimes), fact_in(facts, Recorded)
    if end is None or not end.steps:
        return None
    counted = whole.recorded if whole is not None else end.steps
    if times is None or counted < 2:
        return Cost(0.0, end.seconds / end.steps)
    later = max(0.0, times.total - times.first)
    # A long recording holds fewer steps than were taken, and their seconds with them.
    mean = later / (counted - 1)
    step = min(times.median, mean)
    return Cost(max(0.0, end.seconds - mean * (end.steps - 1)), step, mean - step)


def corrected(cost: Cost, experiments: Sequence[Experiment], catalogue: Catalogue) -> Cost:
    """The same with what experiments really took; one that was not run, or not to any step, says nothing."""
    ratios = [
        x.seconds / cost.seconds(x.steps, factor_of(catalogue, x.change.label))
        for x in experiments
        if x.steps and x.seconds and x.outcome != "new-failure"
    ]
    if not ratios:
        return cost
    found = min(MOST_CORRECTION, max(1 / MOST_CORRECTION, median(ratios)))
    return replace(cost, correction=found)


def factor_of(catalogue: Catalogue, change: str) -> float:
    """How much dearer a step is under a change, as the change's own file says; an edit makes it no dearer."""
    known = catalogue.interventions.get(change.partition("=")[0])
    return known.cost if known is not None else 1.0


def cost_of(inquiry: Inquiry) -> Cost | None:
    """What a run of this program takes, from the run that experiments are compared with and from those so far."""
    cost = measured(inquiry.facts(inquiry.ground))
    return corrected(cost, inquiry.experiments(), inquiry.catalogue) if cost is not None else None


def step_bound(inquiry: Inquiry) -> int | None:
    """As many steps as the base took; enough beyond a NaN to see it gone; fewer when they take long."""
    end, curve = inquiry.fact(RunEnd, inquiry.ground), inquiry.fact(LossCurve, inquiry.ground)
    cost = measured(inquiry.facts(inquiry.ground))
    if end is None or not end.steps or cost is None:
        return None
    if curve is not None and curve.nonfinite_step is not None:
        return max(BEYOND_NAN, curve.nonfinite_step * 2 + LEAST_STEPS)
    training = end.seconds - cost.start_up
    if training > LONG_RUN:
        return min(end.steps, max(LEAST_STEPS, int(end.steps * LONG_RUN / training)))
    # A program that comes to its own end prints there how well it does; ended at its last step, it could not.
    by_itself = end.code == 0 and end.stopped_by is None
    return end.steps + 1 if by_itself else end.steps


def expected_seconds(inquiry: Inquiry, change: str = "", steps: int | None = None) -> float:
    """What an experiment will take, its change included; `steps` where it goes less far than others."""
    cost, bound = cost_of(inquiry), steps or step_bound(inquiry)
    if cost is None or bound is None:
        return UNKNOWN
    return max(1.0, cost.seconds(bound, factor_of(inquiry.catalogue, change)))
