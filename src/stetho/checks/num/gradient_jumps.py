from collections.abc import Iterator
from math import isfinite
from statistics import median

from stetho.check import Finding, check
from stetho.curves import finite
from stetho.facts import GradientNorms, LossCurve, UpdateRatios

STEPS = list(range(80))
CALM = [1.0, 1.3, 0.8, 1.1] * 15
SMALL = {"steps": [0, 1, 2, 25, 50, 75], "ratios": [0.01, 0.01, 0.005, 0.002, 0.002, 3.0]}
BREAKS = {"values": [*[0.5] * 62, *["nan"] * 18], "steps": STEPS, "nonfinite_step": 62}


@check(
    reads=(GradientNorms, UpdateRatios, LossCurve),
    # A run-up and a jump are one thing.
    root="gradient-norms",
    background=0.03,
    given={
        "hp/lr-too-high": 0.04,
        "hp/no-warmup": 0.04,
        "data/outlier-batch": 0.25,
        "data/nonfinite-values": 0.02,
        "train/missing-zero-grad": 0.04,
        "num/sqrt-at-zero": 0.20,
        "num/division-by-zero": 0.20,
        "num/log-of-zero": 0.15,
        "num/overflow": 0.15,
        "num/half-precision": 0.05,
        "other/unlisted": 0.03,
    },
    fires={
        "thousandfold, and NaN two steps later": {
            "gradient-norms": {"steps": STEPS, "norms": [*CALM, 1500.0, 9e6, *["nan"] * 18]},
            "update-ratios": SMALL, "loss-curve": BREAKS,
        },
        "at the second step, and never as before again": {
            "gradient-norms": {"steps": STEPS, "norms": [6.0, 6.0, 9000.0, *[0.5] * 77]}, "update-ratios": SMALL,
            "loss-curve": {"values": [1.0, 0.9, 80.0, *[9.0] * 77], "steps": STEPS},
        },
    },
    quiet={
        "steps that throw the weights about": {
            "gradient-norms": {"steps": STEPS, "norms": [*CALM, 1500.0, 9e6, *["nan"] * 18]},
            "update-ratios": {**SMALL, "ratios": [0.3, 0.2, 0.2, 0.1, 0.1, 3.0]}, "loss-curve": BREAKS,
        },
        "a climb over many steps": {
            "gradient-norms": {"steps": STEPS, "norms": [*CALM[:40], *(1.3**i for i in range(40))]},
            "update-ratios": SMALL, "loss-curve": BREAKS,
        },
        "a spike that does no harm": {
            "gradient-norms": {"steps": STEPS, "norms": [*CALM, 500.0, *CALM[:19]]},
            "update-ratios": SMALL, "loss-curve": {"values": [0.5] * 80, "steps": STEPS},
        },
    },
)  # fmt: skip
def gradient_jumps(
    gradients: GradientNorms, updates: UpdateRatios, curve: LossCurve, *, factor: float = 100.0, small: float = 0.03
) -> Iterator[Finding]:
    """The gradient norm jumps a hundredfold after steps that hardly moved the weights, and the loss is thrown out.

    ## Why it matters
    A rate that is too high moves the weights far. Where small moves meet a gradient that is a hundred times as large,
    it is the loss that is steep there: a product over many layers or time steps.

    ## False alarms
    A sample far out of range makes a single large gradient, too; it counts only where the loss does not come back.
    """
    norms, steps = gradients.norms, gradients.steps
    for i in range(1, len(norms)):
        usual = median(norms[max(0, i - 20) : i])
        if not usual < float("inf") or not isfinite(norms[i]) or norms[i] <= factor * usual or usual <= 1e-4:
            continue
        before = [r for s, r in zip(updates.steps, updates.ratios, strict=True) if s < steps[i]]
        if before and max(before[-3:]) < small and _thrown_out(curve, steps[i]):
            yield Finding(
                f"the gradient norm jumps from {usual:.3g} to {norms[i]:.3g} at step {steps[i]}; the steps before it "
                f"had moved the weights by at most {max(before[-3:]):.2g} of their norm",
                step=steps[i],
            )
            return


def _thrown_out(curve: LossCurve, step: int, *, far: float = 3.0) -> bool:
    """Whether the loss is lost soon after a step, or stays well above what it was before."""
    if curve.nonfinite_step is not None and step <= curve.nonfinite_step <= step + 20:
        return True
    pairs = list(zip(curve.steps, curve.values, strict=False))
    before, after = finite([v for s, v in pairs if s < step][-20:]), finite([v for s, v in pairs if s >= step][:40])
    return bool(before) and len(after) >= 10 and median(after[5:]) > far * median(before) > 0
