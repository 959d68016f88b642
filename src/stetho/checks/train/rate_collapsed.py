from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_slow import STOPS, stopped_with_the_rate
from stetho.facts import LearningRate, RateAndLoss

GONE = {"optimizer": "SGD", "steps": [0, 20, 40, 60, 80], "values": [0.1, 1e-5, 1e-9, 0, 0], "initial": 0.1}


@check(
    reads=LearningRate,
    also=RateAndLoss,
    root="learning-rate",
    given={"other/unlisted": 0.05},
    fires={
        "a thousandth early on": {"learning-rate": GONE},
        "while the loss was falling, which goes on": {
            "learning-rate": GONE, "rate-and-loss": {**STOPS, "moved": 9.0, "end": 3.1},
        },
    },
    quiet={
        "constant": {"learning-rate": {**GONE, "values": [0.1] * 5}},
        "annealed to zero at the very end": {"learning-rate": {**GONE, "values": [0.1, 0.08, 0.05, 0.02, 1e-6]}},
        "about to restart": {"learning-rate": {**GONE, "values": [0.1, 0.05, 1e-7, 0.1, 0.05]}},
        "learning ended with it: another check says more": {"learning-rate": GONE, "rate-and-loss": STOPS},
        "taken away because the loss had stopped": {"learning-rate": GONE, "rate-and-loss": {**STOPS, "fell": 0.4}},
    },
)  # fmt: skip
def rate_collapsed(
    rate: LearningRate, schedule: RateAndLoss | None, *, factor: float = 1e-3, stopped: float = 2.0
) -> Iterator[Finding]:
    """The learning rate falls to almost nothing long before the run ends.

    ## Why it matters
    The steps after that point change nothing.

    ## False alarms
    Schedules that end at zero do so at the end; the rate must have collapsed in the first half. A log also shows
    whether the loss had stopped before: then the rate was taken down because of it. Where the log shows that learning
    ended with the rate, `learning-ends-with-rate` says so.
    """
    if schedule is not None and (schedule.fell < stopped or stopped_with_the_rate(schedule)):
        return
    highest = max(rate.values, default=0.0)
    # The highest from there on: a schedule that restarts may be at its end in the middle.
    middle = max(rate.values[len(rate.values) // 2 :], default=0.0)
    if highest > 0 and len(rate.values) >= 3 and middle < factor * highest:
        yield Finding(
            f"the learning rate is {middle:.3g} halfway through, after {highest:.3g}",
            where=(rate.where,) if rate.where else (),
        )
