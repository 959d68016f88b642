from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_slow import STOPS, stopped_with_the_rate
from stetho.checks.train.schedule_in_other_unit import ORDER, SETUP, stepped_per_batch
from stetho.facts import CallOrder, LearningRate, Loaders, RateAndLoss, RunSetup

RATE = {"optimizer": "SGD", "steps": [0, 5, 40, 60, 599], "values": [0.1, 0.05, 0, 0, 0], "initial": 0.1}


@check(
    reads=RateAndLoss,
    also=(LearningRate, CallOrder, RunSetup, Loaders),
    root="learning-rate",
    given={"other/unlisted": 0.03},
    fires={"falls until the rate is gone": {"rate-and-loss": STOPS}},
    quiet={
        "had stopped before": {"rate-and-loss": {**STOPS, "fell": 0.4}},
        "goes on after it": {"rate-and-loss": {**STOPS, "moved": 9.0, "end": 3.1}},
        "a schedule in the wrong unit: another check says more": {
            "rate-and-loss": STOPS, "learning-rate": RATE, "call-order": ORDER, "run-setup": SETUP,
        },
        "late in the run": {"rate-and-loss": {**STOPS, "share": 0.2}},
        "had come down to a tenth": {"rate-and-loss": {**STOPS, "at": 0.4, "end": 0.4}},
    },
)  # fmt: skip
def learning_ends_with_rate(
    schedule: RateAndLoss,
    rate: LearningRate | None,
    order: CallOrder | None,
    setup: RunSetup | None,
    loaders: Loaders | None,
) -> Iterator[Finding]:
    """The loss falls for as long as there is a rate, and stands still from the step at which it is gone.

    ## Why it matters
    Most of the run is spent on steps that change nothing.

    ## False alarms
    A rate that is taken down because the loss had stopped is no fault: here the loss was falling beyond noise.
    """
    if order is not None and rate is not None and stepped_per_batch(order, rate, setup, loaders):
        return
    if stopped_with_the_rate(schedule):
        yield Finding(
            f"the loss falls from {schedule.before:.4g} to {schedule.at:.4g} until the rate is gone at step "
            f"{schedule.gone_step} ({schedule.fell:.0f} standard errors), and stands at {schedule.end:.4g} for the "
            f"other {schedule.share:.0%} of the run",
            where=(rate.where,) if rate is not None and rate.where is not None else (),
            step=schedule.gone_step,
        )
