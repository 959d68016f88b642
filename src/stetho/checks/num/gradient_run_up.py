from collections.abc import Iterator
from math import isfinite
from statistics import median

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_diverging import RISE, runs_away
from stetho.facts import GradientNorms, LossCurve, LossRise

CALM = [1.0, 1.3, 0.8] * 10
LOST = {"values": [1.0] * 40 + ["nan"], "nonfinite_step": 40, "nonfinite_in": "loss"}


@check(
    reads=(LossCurve, GradientNorms),
    also=LossRise,
    root="gradient-norms",
    background=0.05,
    given={"other/unlisted": 0.05},
    fires={
        "climbs for ten steps into a NaN": {
            "loss-curve": LOST,
            "gradient-norms": {"steps": list(range(41)), "norms": [*CALM, *(2.5**i for i in range(1, 11)), "nan"]},
        },
        "climbs with a logged loss that runs away": {
            "loss-curve": {"values": [1.0] * 40, "logged": True}, "loss-rise": RISE,
            "gradient-norms": {"steps": list(range(40)), "norms": [*CALM, *(2.5**i for i in range(1, 11))]},
        },
    },
    quiet={
        "calm until the NaN": {
            "loss-curve": LOST, "gradient-norms": {"steps": list(range(41)), "norms": [*CALM, *CALM[:10], "nan"]},
        },
        "no NaN": {
            "loss-curve": {"values": [1.0] * 40},
            "gradient-norms": {"steps": list(range(40)), "norms": [*CALM, *(2.5**i for i in range(1, 11))]},
        },
        "one step only": {
            "loss-curve": LOST, "gradient-norms": {"steps": list(range(41)), "norms": [*CALM, *CALM[:9], 1e6, "nan"]},
        },
    },
)  # fmt: skip
def gradient_run_up(
    curve: LossCurve, gradients: GradientNorms, rise: LossRise | None, *, least: int = 5, factor: float = 10.0
) -> Iterator[Finding]:
    """The gradient norm climbs over several steps right into the failure.

    ## Why it matters
    A division by zero or a bad sample strikes at once; a run-up shows gradients that feed on themselves.

    ## False alarms
    A rate that is too high makes the same run-up: what tells the two apart is an experiment.
    """
    lost = curve.nonfinite_step
    if lost is None and not (curve.logged and curve.objectives == 1 and runs_away(rise)):
        return
    pairs = zip(gradients.steps, gradients.norms, strict=True)
    known = [(s, n) for s, n in pairs if (lost is None or s <= lost) and isfinite(n)]
    norms = [n for _, n in known]
    if len(norms) < 4 * least:
        return
    usual = median(norms[: 3 * len(norms) // 5])
    raised = 0
    while raised < len(norms) and norms[-1 - raised] > 2 * usual:
        raised += 1
    if raised >= least and median(norms[-3:]) > factor * usual:
        into = f"before step {lost}" if lost is not None else "along with the loss"
        yield Finding(
            f"the gradient norm climbs from {usual:.3g} to {norms[-1]:.3g} over the last {raised} points, from step "
            f"{known[-raised][0]} on, {into}",
            step=lost,
        )
