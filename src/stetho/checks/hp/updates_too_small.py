from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LearningRate, LossCurve, UpdateRatios

LONG = {"values": [2.3] * 400}
RATE = {"optimizer": "SGD", "steps": [0, 200, 399], "values": [1e-6, 1e-6, 1e-6], "initial": 1e-6}


@check(
    reads=(UpdateRatios, LossCurve, LearningRate),
    root="update-size",
    background=0.05,
    fires={
        "400 steps, a hundredth of a percent in all": {
            "update-ratios": {"steps": list(range(16)), "ratios": [3e-7] * 16}, "loss-curve": LONG,
            "learning-rate": RATE,
        }
    },
    quiet={
        "usual": {
            "update-ratios": {"steps": list(range(16)), "ratios": [1e-3] * 16}, "loss-curve": LONG,
            "learning-rate": RATE,
        },
        "small because a schedule took the rate away": {
            "update-ratios": {"steps": list(range(16)), "ratios": [1e-2, 1e-4] + [0.0] * 14,
                              "rates": [0.1, 1e-3] + [0.0] * 14},
            "loss-curve": LONG,
            "learning-rate": {**RATE, "values": [0.1, 1e-6, 0.0], "initial": 0.1},
        },
    },
)  # fmt: skip
def updates_too_small(
    updates: UpdateRatios, curve: LossCurve, rate: LearningRate, *, moved: float = 0.15
) -> Iterator[Finding]:
    """All steps of the run together hardly move the parameters, at a rate that was never larger.

    ## Why it matters
    What the gradients say never reaches the weights.

    ## False alarms
    Gradients that are exactly zero, a schedule that took the rate away, and clipping are other causes; a
    rate that was small from the start is needed here. A run cut short has had no time to move.
    """
    steps = len(curve.values)
    if steps < 50 or len(updates.ratios) < 5:
        return
    # What the steps at the full rate would have moved had all been like them: a schedule must not hide it.
    full = max(updates.rates, default=0.0)
    rates = updates.rates or (0.0,) * len(updates.ratios)
    at_full = [r for r, lr in zip(updates.ratios, rates, strict=True) if lr >= 0.5 * full]
    path = sum(at_full) / len(at_full) * steps
    if 0 < path < moved:
        yield Finding(
            f"{steps} steps together move the parameters by {path:.2%} of their norm at lr {rate.initial:.2g}",
            where=(rate.where,) if rate.where else (),
        )
