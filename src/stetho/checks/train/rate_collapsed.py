from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LearningRate


@check(
    reads=LearningRate,
    root="learning-rate",
    given={"other/unlisted": 0.05},
    background=0.03,
    fires={
        "a thousandth early on": {
            "optimizer": "SGD", "steps": [0, 20, 40, 60, 80], "values": [0.1, 1e-5, 1e-9, 0, 0], "initial": 0.1,
        }
    },
    quiet={
        "constant": {"optimizer": "SGD", "steps": [0, 50, 99], "values": [0.1, 0.1, 0.1], "initial": 0.1},
        "annealed to zero at the very end": {
            "optimizer": "SGD", "steps": [0, 25, 50, 75, 99], "values": [0.1, 0.08, 0.05, 0.02, 1e-6], "initial": 0.1,
        },
        "about to restart": {
            "optimizer": "SGD", "steps": [0, 25, 50, 75, 99], "values": [0.1, 0.05, 1e-7, 0.1, 0.05], "initial": 0.1,
        },
    },
)  # fmt: skip
def rate_collapsed(rate: LearningRate, *, factor: float = 1e-3) -> Iterator[Finding]:
    """The learning rate falls to almost nothing long before the run ends.

    ## Why it matters
    The steps after that point change nothing.

    ## False alarms
    Schedules that end at zero do so at the end; the rate must have collapsed in the first half.
    """
    highest = max(rate.values, default=0.0)
    # The highest from there on: a schedule that restarts may be at its end in the middle.
    middle = max(rate.values[len(rate.values) // 2 :], default=0.0)
    if highest > 0 and len(rate.values) >= 3 and middle < factor * highest:
        yield Finding(
            f"the learning rate is {middle:.3g} halfway through, after {highest:.3g}",
            where=(rate.where,) if rate.where else (),
        )
