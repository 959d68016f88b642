from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.curves import finite
from stetho.facts import LearningRate, LossCurve, UpdateRatios

STEPS = list(range(200))
RATE = {"optimizer": "Adam", "steps": STEPS, "values": [0.003] * 200, "initial": 0.003}
WARM = {**RATE, "values": [min(0.003, 0.00003 * (i + 1)) for i in range(200)], "initial": 0.00003}
RATIOS = [0.2, 0.15, *[0.08] * 8, *[0.004] * 7]
MOVES: dict[str, object] = {"steps": [*range(10), *range(25, 200, 25)], "ratios": RATIOS}
UP = {"values": [3.0, 3.4, 6.0, 7.5, 6.0, 5.0, 4.0, *[3.2] * 193], "steps": STEPS}
WELL = {"values": [3.0 * 0.98**i for i in range(200)], "steps": STEPS}


def run(
    curve: dict[str, object], rate: dict[str, object] = RATE, moves: dict[str, object] = MOVES
) -> dict[str, object]:
    return {"loss-curve": curve, "learning-rate": rate, "update-ratios": moves}


@check(
    reads=(LossCurve, LearningRate, UpdateRatios),
    root="rate at the start",
    background=0.06,
    given={
        # A rate that is too high is mostly constant from the first step on, and breaks early, too.
        "hp/lr-too-high": 0.60,
        "hp/no-warmup": 0.90,
        "num/exploding-gradients": 0.45,
        "data/inputs-unnormalized": 0.30,
        "loss/wrong-reduction": 0.40,
        "arch/bad-init": 0.12,
        "train/accumulation-scale": 0.30,
        "other/unlisted": 0.08,
    },
    fires={
        "out within the first steps": run(UP),
        "NaN at once": run({"values": [3.0, 9.0, 400.0, *["nan"] * 197], "steps": STEPS, "nonfinite_step": 3}),
    },
    quiet={
        "the rate was raised slowly": run(UP, WARM),
        "small steps": run(UP, moves={**MOVES, "ratios": [0.004] * 17}),
        "falls from the start": run(WELL),
        "breaks late": run({"values": [*[3.0] * 150, *["nan"] * 50], "steps": STEPS, "nonfinite_step": 150}),
        "two players": run({**UP, "objectives": 2}),
    },
)
def thrown_out_at_once(
    curve: LossCurve, rate: LearningRate, updates: UpdateRatios, *, large: float = 0.03, rise: float = 1.3
) -> Iterator[Finding]:
    """The first steps, at the full rate, move the weights far, and the loss goes up with them.

    ## Why it matters
    The first gradients of a new model are its largest, and an adaptive optimizer has not yet measured them.

    ## False alarms
    A rate that is too high for the whole run looks the same: only warm-up tells.
    """
    if not rate.values or not curve.steps or curve.steps[0] != 0 or curve.objectives > 1 or len(curve.values) < 10:
        return
    first = median(rate.values[:3])
    if first < 0.9 * max(rate.values) or not updates.ratios or updates.steps[0] != 0:
        return
    early = max(10, len(curve.values) // 10)
    lost = curve.nonfinite_step is not None and curve.nonfinite_step <= max(30, early)
    known = finite(curve.values[:early])
    moved = max(updates.ratios[:5])
    if moved < large or not known or known[0] <= 0:
        return
    highest = max(known)
    if lost or (len(known) >= 5 and sorted(known)[-3] > rise * known[0]):
        broke = f"is lost at step {curve.nonfinite_step}" if lost else f"goes from {known[0]:.3g} to {highest:.3g}"
        yield Finding(
            f"the rate is {first:.3g} from the first step on, one of the first steps moves the weights by {moved:.2g} "
            f"of their norm, and the loss {broke}",
            step=0,
        )
