from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_slow import STOPS, stopped_with_the_rate
from stetho.checks.train.schedule_in_other_unit import ORDER, SETUP, collapsed, scheduler, stepped_per_batch
from stetho.facts import CallOrder, LearningRate, Loaders, RateAndLoss, RunSetup

# The schedule that looks at a result before it takes the rate down.
RESPONDING = "ReduceLROnPlateau"
GONE = {"optimizer": "SGD", "steps": [0, 20, 40, 60, 80], "values": [0.1, 1e-5, 1e-9, 0, 0], "initial": 0.1}


@check(
    reads=LearningRate,
    also=(RateAndLoss, CallOrder, RunSetup, Loaders),
    root="learning-rate",
    given={"other/unlisted": 0.03},
    fires={
        "a thousandth early on": {"learning-rate": GONE},
        "by a schedule that does not ask how the loss does": {
            "learning-rate": GONE, "rate-and-loss": {**STOPS, "fell": 1.8, "moved": 9.0, "end": 3.1},
            "call-order": scheduler("step", name="StepLR"),
        },
        "while the loss was falling, which goes on": {
            "learning-rate": GONE, "rate-and-loss": {**STOPS, "moved": 9.0, "end": 3.1},
        },
    },
    quiet={
        "constant": {"learning-rate": {**GONE, "values": [0.1] * 5}},
        "annealed to zero at the very end": {"learning-rate": {**GONE, "values": [0.1, 0.08, 0.05, 0.02, 1e-6]}},
        "about to restart": {"learning-rate": {**GONE, "values": [0.1, 0.05, 1e-7, 0.1, 0.05]}},
        "learning ended with it: another check says more": {"learning-rate": GONE, "rate-and-loss": STOPS},
        "a schedule in the wrong unit: another check says more": {
            "learning-rate": {**GONE, "steps": [0, 5, 40, 60, 599], "values": [0.1, 0.05, 0, 0, 0]},
            "call-order": ORDER, "run-setup": SETUP,
        },
        "taken away because the loss had stopped": {"learning-rate": GONE, "rate-and-loss": {**STOPS, "fell": 0.4}},
    },
)  # fmt: skip
def rate_collapsed(
    rate: LearningRate,
    schedule: RateAndLoss | None,
    order: CallOrder | None,
    setup: RunSetup | None,
    loaders: Loaders | None,
    *,
    stopped: float = 2.0,
) -> Iterator[Finding]:
    """The learning rate falls to almost nothing long before the run ends.

    ## Why it matters
    The steps after that point change nothing.

    ## False alarms
    Schedules that end at zero do so at the end; the rate must have collapsed in the first half. Where the loss had
    stopped before, the rate may have been taken down because of it, but for schedules that never ask. Where the log
    shows that learning ended with the rate, `learning-ends-with-rate` says so.
    """
    # A few points cannot tell whether the loss was falling.
    told = schedule is not None and schedule.alive >= 20 and not blind(order)
    if schedule is not None and ((told and schedule.fell < stopped) or stopped_with_the_rate(schedule)):
        return
    if order is not None and stepped_per_batch(order, rate, setup, loaders):
        return
    if collapsed(rate):
        middle = max(rate.values[len(rate.values) // 2 :])
        yield Finding(
            f"the learning rate is {middle:.3g} halfway through, after {max(rate.values):.3g}",
            where=(rate.where,) if rate.where else (),
        )


def blind(order: CallOrder | None) -> bool:
    """Whether all schedules are known, and none asks for a result."""
    return order is not None and bool(order.schedulers) and all(one.name != RESPONDING for one in order.schedulers)
