from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import CallOrder, LearningRate, LossCurve, Optimizers, RunSetup, UpdateRatios

STEPS = [0, 100, 200, 300, 399]
RATE = {"optimizer": "SGD", "steps": STEPS, "values": [1e-6, 5e-6, 1e-5, 5e-6, 1e-6], "initial": 1e-6}
ONE = {"name": "CyclicLR", "where": None, "horizon": 120, "unit": "step", "calls": 399, "interval": 1.0, "top": 1e-5}
ORDER = {"optimizer": "SGD", "steps": 400, "patterns": [], "distinct": 1, "schedulers": [ONE]}
MADE = {"optimizers": [{"name": "SGD", "where": None, "steps": 400, "rates": [0.01]}]}
LONG = {"values": [2.3] * 400}
TINY = {"steps": STEPS, "ratios": [1e-6] * 5}
BASE = {"learning-rate": RATE, "call-order": ORDER, "optimizers": MADE, "update-ratios": TINY, "loss-curve": LONG}
WARM = {**RATE, "values": [0.0, 1e-4, 2e-4, 3e-4, 4e-4], "initial": 0.0}


@check(
    reads=(LearningRate, CallOrder, Optimizers, UpdateRatios, LossCurve),
    also=RunSetup,
    root="learning-rate",
    background=0.02,
    given={"other/unlisted": 0.03},
    fires={
        "a cycle far below the optimizer's rate": BASE,
        "a warm-up that nobody steps": {
            **BASE, "learning-rate": {**RATE, "values": [1e-6] * 5},
            "call-order": {**ORDER, "schedulers": [{**ONE, "unit": "never", "top": 0.01}]},
        },
        "a warm-up longer than the run": {
            **BASE, "learning-rate": WARM, "call-order": {**ORDER, "schedulers": [{**ONE, "top": 0.01}]},
            "run-setup": {"command": [], "planned_steps": 400},
        },
    },
    quiet={
        "no schedule": {**BASE, "call-order": {**ORDER, "schedulers": []}},
        "a factor of one, and a function that gives the rate; it moves": {
            **BASE, "update-ratios": {"steps": STEPS, "ratios": [2e-3] * 5},
            "optimizers": {"optimizers": [{"name": "Adam", "where": None, "steps": 400, "rates": [1.0]}]},
        },
        "a warm-up that the run has not finished yet": {
            **BASE, "learning-rate": WARM, "call-order": {**ORDER, "schedulers": [{**ONE, "top": 0.01}]},
            "run-setup": {"command": [], "planned_steps": 40000},
        },
        "a small rate of the optimizer itself": {
            **BASE, "optimizers": {"optimizers": [{"name": "SGD", "where": None, "steps": 400, "rates": [1e-6]}]},
        },
    },
)  # fmt: skip
def rate_never_arrives(
    rate: LearningRate,
    order: CallOrder,
    made: Optimizers,
    updates: UpdateRatios,
    curve: LossCurve,
    setup: RunSetup | None,
    *,
    part: float = 0.05,
    moved: float = 0.15,
) -> Iterator[Finding]:
    """A schedule holds the rate at a small part of what the program names, for the whole run, and nothing moves.

    ## Why it matters
    The rate that was chosen is never in force: a warm-up does not end, or the schedule has numbers of its own.

    ## False alarms
    An optimizer made with a rate of 1 beside a function that gives the real rate: there the parameters move. A run that
    was ended early may not have come to the end of its warm-up; the steps it plans are thought of.
    """
    if not order.schedulers or not rate.values or len(updates.ratios) < 3 or len(curve.values) < 50:
        return
    path = sum(updates.ratios) / len(updates.ratios) * len(curve.values)
    one = order.schedulers[0]
    named = [r for o in made.optimizers if o.name == rate.optimizer for r in o.rates[:1]] + [one.top or 0.0]
    top, highest = max(named), max(rate.values)
    # Where the schedule's own peak is that low, there is nothing to wait for.
    low = one.top is not None and one.top < part * top
    planned = setup.planned_steps if setup is not None else None
    growth = max(0.0, rate.values[-1] - rate.values[0])
    further = growth * (planned / max(1, rate.steps[-1]) - 1 if planned else 1e9 if growth else 0)
    if (
        (low or one.unit == "never" or highest + max(0.0, further) < part * top)
        and highest < part * top
        and path < moved
    ):
        places = tuple(p for p in (one.where, rate.where) if p is not None)
        yield Finding(
            f"{one.name} keeps the rate at {highest:.2g} or below, of {top:.2g}; {len(curve.values)} steps together "
            f"move the parameters by {path:.2%} of their norm",
            where=places,
        )
