from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_slow import STOPS, stopped_with_the_rate
from stetho.facts import RateAndLoss


@check(
    reads=RateAndLoss,
    root="learning-rate",
    given={"other/unlisted": 0.03},
    fires={"falls until the rate is gone": STOPS},
    quiet={
        "had stopped before": {**STOPS, "fell": 0.4},
        "goes on after it": {**STOPS, "moved": 9.0, "end": 3.1},
        "late in the run": {**STOPS, "share": 0.2},
        "had come down to a tenth": {**STOPS, "at": 0.4, "end": 0.4},
    },
)
def learning_ends_with_rate(schedule: RateAndLoss) -> Iterator[Finding]:
    """The loss falls for as long as there is a rate, and stands still from the step at which it is gone.

    ## Why it matters
    Most of the run is spent on steps that change nothing.

    ## False alarms
    A rate that is taken down because the loss had stopped is no fault: here the loss was falling beyond noise.
    """
    if stopped_with_the_rate(schedule):
        yield Finding(
            f"the loss falls from {schedule.before:.4g} to {schedule.at:.4g} until the rate is gone at step "
            f"{schedule.gone_step} ({schedule.fell:.0f} standard errors), and stands at {schedule.end:.4g} for the "
            f"other {schedule.share:.0%} of the run",
            step=schedule.gone_step,
        )
