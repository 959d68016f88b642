from collections.abc import Iterator
from math import isfinite

from stetho.check import Finding, check
from stetho.facts import LossCurve, Metrics

NONE: dict[str, object] = {"curves": []}


def logged(values: list[float | str], steps: list[int], at: int | None) -> dict[str, object]:
    return {
        "metrics": NONE,
        "loss-curve": {"values": values, "steps": steps, "nonfinite_step": at, "nonfinite_in": "loss", "logged": True},
    }


@check(
    reads=(Metrics, LossCurve),
    root="when the loss was lost",
    background=0.05,
    presupposes=("loss-nonfinite",),
    given={
        "data/nonfinite-values": 0.40,
        "data/labels-all-ignored": 0.50,
        "num/division-by-zero": 0.35,
        "num/log-of-zero": 0.25,
        "num/overflow": 0.20,
        "num/half-precision": 0.20,
        "data/inputs-unnormalized": 0.20,
        # Where only means over epochs are logged, a whole epoch comes before the first of them.
        "hp/lr-too-high": 0.15,
        "hp/no-warmup": 0.15,
        "num/exploding-gradients": 0.12,
        "other/unlisted": 0.10,
    },
    fires={
        "the first step": logged(["nan"] * 20, list(range(20)), 0),
        "the first that was logged, and it was the first": logged(["nan", "nan", "nan"], [1, 2, 3], 1),
    },
    quiet={
        "later": logged([2.0, 1.9, "nan", "nan"], [0, 1, 2, 3], 2),
        "many steps before the first line": logged(["nan"] * 20, list(range(100, 2100, 100)), 100),
        "finite": logged([2.0, 1.9], [0, 1], None),
    },
)
def lost_from_the_start(metrics: Metrics, curve: LossCurve) -> Iterator[Finding]:
    """The very first logged loss is NaN or Inf, before any step could have done harm.

    ## Why it matters
    No rate and no gradient has had its turn: the data, the labels or the model's own arithmetic makes it.

    ## False alarms
    A log that begins later than the run, or a mean over a whole epoch, hides steps before its first line.
    """
    if curve.values and curve.steps and not any(map(isfinite, curve.values[:3])) and curve.steps[0] <= 1:
        yield Finding(
            f"the loss is {curve.values[0]} from the first point on, step {curve.steps[0]}", step=curve.steps[0]
        )
