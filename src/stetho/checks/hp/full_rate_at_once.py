from collections.abc import Iterator
from math import isfinite
from statistics import median

from stetho.check import Finding, check
from stetho.facts import LearningRate, LossCurve, Metrics

NONE: dict[str, object] = {"curves": []}
STEPS = list(range(200))
RATE = {"optimizer": "", "steps": STEPS, "values": [0.001] * 200, "initial": 0.001}
BREAKS = {
    "values": [7.0, 6.5, 6.1, 9.0, 30.0, 200.0] + ["nan"] * 194,
    "steps": STEPS,
    "nonfinite_step": 6,
    "logged": True,
}

WARM = [min(0.001, 0.00001 * (i + 1)) for i in range(200)]
LATE = {"values": [5.0] * 900 + ["nan"] * 20, "steps": list(range(920)), "nonfinite_step": 900, "logged": True}
WELL = {"values": [5.0] * 200, "steps": STEPS, "logged": True}


@check(
    reads=(Metrics, LossCurve, LearningRate),
    root="rate at the start",
    # A constant rate is what most runs have, and what strikes at once may strike early.
    background=0.15,
    # A rate that is too high is as often constant from the first step on, and breaks early, too.
    given={"hp/lr-too-high": 0.45, "num/exploding-gradients": 0.15, "num/overflow": 0.10, "other/unlisted": 0.10},
    fires={"breaks within the first steps": {"metrics": NONE, "loss-curve": BREAKS, "learning-rate": RATE}},
    quiet={
        "the rate was raised slowly": {
            "metrics": NONE, "loss-curve": BREAKS,
            "learning-rate": {**RATE, "values": WARM, "initial": 0.00001},
        },
        "breaks late": {
            "metrics": NONE, "loss-curve": LATE,
            "learning-rate": {**RATE, "steps": list(range(920)), "values": [0.001] * 920},
        },
        "does not break": {"metrics": NONE, "loss-curve": WELL, "learning-rate": RATE},
    },
)  # fmt: skip
def full_rate_at_once(
    metrics: Metrics, curve: LossCurve, rate: LearningRate, *, early: int = 300, points: int = 30
) -> Iterator[Finding]:
    """The logged rate is at its full height from the first step on, and the loss breaks within the first steps.

    ## Why it matters
    The first gradients are the largest, and an adaptive optimizer has not yet measured them: warm-up is for that.

    ## False alarms
    A rate that is too high for the whole run looks the same: only warm-up tells.
    """
    step = curve.nonfinite_step
    if step is None or not rate.values or not curve.steps:
        return
    before = [v for s, v in zip(curve.steps, curve.values, strict=False) if s < step and isfinite(v)]
    first = median(rate.values[: max(1, min(3, len(rate.values)))])
    if step - curve.steps[0] <= early and len(before) <= points and first >= 0.9 * max(rate.values) > 0:
        yield Finding(f"the rate is {first:.3g} from the first step on, and the loss breaks at step {step}", step=step)
