from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_diverging import RISE, runs_away
from stetho.curves import best_level, finite
from stetho.facts import LossCurve, LossRise, Metrics

NONE: dict[str, object] = {"curves": []}
CALM = [1.0, 1.2, 0.9, 1.1, 0.95] * 6


def failed(values: Sequence[float | str], at: int) -> dict[str, object]:
    return {
        "metrics": NONE,
        "loss-curve": {"values": values, "steps": list(range(len(values))), "nonfinite_step": at, "logged": True},
    }


@check(
    reads=(Metrics, LossCurve),
    also=LossRise,
    # A run-up of the gradients and of the loss are one thing.
    root="gradient-norms",
    background=0.05,
    presupposes=("loss-nonfinite", "loss-diverging", "loss-spike", "gradients-exploding", "crash"),
    # What strikes at once leaves the loss as it was.
    given={
        "num/log-of-zero": 0.08,
        "num/sqrt-at-zero": 0.04,
        "num/division-by-zero": 0.04,
        "data/nonfinite-values": 0.03,
        "dist/one-rank-nonfinite": 0.05,
        "data/labels-all-ignored": 0.02,
        "num/overflow": 0.30,
        "num/half-precision": 0.25,
        "hp/no-warmup": 0.75,
        "train/missing-zero-grad": 0.40,
        "loss/wrong-reduction": 0.30,
        "other/unlisted": 0.06,
    },
    fires={
        "climbs for points on end": failed([*CALM, 2.4, 4.5, 8.5, 16.0, "nan"], 34),
        "by orders of magnitude within three points": failed([*CALM, 33.0, 40374.0, 1.3e16, "inf"], 33),
        "from the first step on": failed([0.32, 9180.0, 2.6e17, "inf", "nan"], 3),
        "two numbers are enough when they are so far apart": failed([1.5e9, 3.6e24, "inf"], 2),
        "finite to the end": {
            "metrics": NONE,
            "loss-curve": {"values": [*CALM, *(1.3**i for i in range(30))], "steps": list(range(60)), "logged": True},
        },
        "finite, and far above all that it was": {
            "metrics": NONE, "loss-rise": RISE,
            "loss-curve": {"values": [*CALM, *(1.15**i for i in range(19))], "steps": list(range(49)), "logged": True},
        },
    },
    quiet={
        "calm until the NaN": failed([*CALM, 1.0, "nan"], 31),
        "one spike, then NaN": failed([*CALM, 80.0, "nan"], 31),
        "fell far and has noise": failed([*(2.0 * 0.8**i for i in range(30)), 0.004, 0.001, 0.006, 0.002, "nan"], 34),
        "noise": failed([0.5, 2.0, 0.4, 2.5, 0.6, 1.9] * 5 + ["nan"], 30),
        "a spike that had gone": failed([*CALM, 90.0, 40.0, 1.1, 1.0, 0.9, "nan"], 35),
        "a rise that is no failure": {
            "metrics": NONE, "loss-curve": {"values": [*CALM, 4.0, 9.0, 11.0, 12.0], "logged": True},
        },
        "two players": {
            "metrics": NONE, "loss-curve": {"values": [*CALM, *(1.3**i for i in range(30))], "objectives": 2},
        },
        "never finite": failed(["nan", "nan"], 0),
    },
)  # fmt: skip
def loss_run_up(
    metrics: Metrics, curve: LossCurve, rise: LossRise | None, *, raised: float = 3.0, far: float = 50.0
) -> Iterator[Finding]:
    """The logged loss climbs over several points right into the failure.

    ## Why it matters
    A logarithm of zero or a bad sample strikes at once, out of a loss that looks well; a run-up shows steps that feed
    on themselves.

    ## False alarms
    One high value before the end may be a bad batch and does not count. What drives the run-up, gradients, the rate or
    the data, is left open.
    """
    end = len(curve.values)
    if curve.nonfinite_step is not None and len(finite(curve.values)) < end:
        end = next((i for i, step in enumerate(curve.steps) if step >= curve.nonfinite_step), end)
    known = finite(curve.values[:end])
    if len(known) < 2 or (curve.nonfinite_step is None and curve.objectives > 1):
        return
    first = median(known[: max(1, len(known) // 5)])
    usual = min(first, best_level(known) or first)
    if usual <= 0:
        return
    tail = 0
    while tail < len(known) - 1 and known[-1 - tail] > raised * usual:
        tail += 1
    last = known[-1]
    rising = sum(b > a for a, b in pairwise(known[-tail - 1 :])) >= 0.6 * tail
    climbed = (
        (tail >= 3 and last > 8 * usual and rising)
        or (tail >= 2 and last > 1000 * usual and rising)
        or (len(known) <= 3 and last > 1e6 * known[0] > 0)
    )
    if climbed and (curve.nonfinite_step is not None or (tail >= 5 and last > far * first)):
        begun = len(known) - 1 - tail
        steps = curve.steps[: len(known)] if len(curve.steps) >= len(known) else tuple(range(len(known)))
        into = f", not finite at step {curve.nonfinite_step}" if curve.nonfinite_step is not None else " to the end"
        yield Finding(
            f"the loss climbs from {known[begun]:.3g} at step {steps[begun]} to {last:.3g} at step {steps[-1]}{into}",
            step=steps[begun],
        )
    elif rise is not None and curve.logged and curve.nonfinite_step is None and runs_away(rise):
        yield Finding(
            f"the loss climbs from {rise.best:.3g} at step {rise.best_step} to {rise.end:.3g} in the last tenth, above "
            f"all that it was before",
            step=rise.best_step,
        )
