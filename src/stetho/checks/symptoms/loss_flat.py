from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import fmean, median

from stetho.check import Finding, check
from stetho.curves import finite, roughness, shape, swing
from stetho.facts import CallOrder, LossCurve, Statements, UpdateRatios

CREEPS = {"values": [2.0 - 0.0002 * i + 0.01 * (-1) ** i for i in range(200)], "logged": True}
NEVER_STEPS = {
    "optimizer": "SGD", "steps": 60, "patterns": [{"order": "zfb", "letters": "zfb", "steps": 60, "first": 0}],
    "distinct": 1, "backwards": 1,
}  # fmt: skip


@check(
    reads=LossCurve,
    also=(Statements, UpdateRatios, CallOrder),
    root="loss-curve",
    severity=50,
    fires={
        "stuck at ln 10": {"loss-curve": {"values": [2.305, 2.301, 2.303, 2.302] * 15, "chance": 2.303}},
        "falls to chance and stays": {"loss-curve": {"values": [9.0, 6.0, 3.0] + [2.30, 2.31] * 30, "chance": 2.303}},
        "does not move, level unknown": {"loss-curve": {"values": [5.00, 5.01, 4.99, 5.00] * 20}},
        "predicts the mean of its targets": {
            "loss-curve": {"values": [2.0, 1.2] + [1.01, 0.99] * 30, "explained": 0.01}
        },
        "no step moves anything, worse than the mean": {
            "loss-curve": {"values": [5.00, 5.3, 4.7, 5.00] * 20, "explained": -0.4},
            "update-ratios": {"steps": list(range(12)), "ratios": [0.0] * 12},
        },
        "never steps, on a loss that is divided": {
            "loss-curve": {"values": [0.173, 0.174, 0.172, 0.173] * 15, "chance": 0.693},
            "call-order": NEVER_STEPS,
        },
        "does not move, noisy": {"loss-curve": {"values": [6.0, 5.0, 5.6, 5.2, 5.5, 5.3] * 15}},
        "creeps from weights that were not loaded": {
            "loss-curve": CREEPS,
            "statements": {"said": [{"phrase": "keys-not-matched", "text": "missing keys: ['a']", "line": 1}]},
        },
    },
    quiet={
        "steps at a rate of 0 until the warm-up": {
            "loss-curve": {"values": [5.00, 5.3, 4.7, 5.00] * 20, "explained": 0.93},
            "update-ratios": {"steps": list(range(12)), "ratios": [0.0] * 11 + [1e-4]},
        },
        "makes its own steps": {
            "loss-curve": {"values": [2.3 * 0.95**i for i in range(60)], "chance": 2.303},
            "call-order": NEVER_STEPS,
        },
        "learns": {"loss-curve": {"values": [2.3 * 0.95**i for i in range(60)], "chance": 2.303}},
        "young, just below chance and falling": {
            "loss-curve": {"values": [3.3 - 0.006 * i for i in range(120)], "chance": 2.775}
        },
        "starts and stays far below chance": {"loss-curve": {"values": [0.31, 0.30, 0.29, 0.30] * 15, "chance": 2.303}},
        "a policy loss around zero": {"loss-curve": {"values": [0.02, -0.03, 0.01, -0.01] * 20}},
        "learned a little, level unknown": {
            "loss-curve": {"values": [6.0, 5.6, 5.8, 5.5] * 10 + [5.2, 4.8, 5.0, 4.9] * 10}
        },
        "explains its targets": {"loss-curve": {"values": [5.00, 5.01, 4.99, 5.00] * 20, "explained": 0.93}},
        "goes on from trained weights, and gains a little": {"loss-curve": CREEPS},
        "had fallen within three points": {
            "loss-curve": {"values": [4.6, 1.9, 1.2] + [1.0, 0.99, 1.01] * 20, "logged": True}
        },
        "two players": {"loss-curve": {"values": [1.386, 1.387] * 30, "objectives": 2}},
        "too short to tell": {"loss-curve": {"values": [2.30, 2.31, 2.30], "chance": 2.303}},
    },
)
def loss_flat(
    curve: LossCurve,
    said: Statements | None,
    moved: UpdateRatios | None,
    order: CallOrder | None,
    *,
    least_steps: int = 20,
    young: int = 300,
) -> Iterator[Finding]:
    """The loss stays where guessing would put it.

    ## Why it matters
    The model has learned nothing about the inputs that the label frequencies do not say already.

    ## False alarms
    A run that starts from trained weights is flat and far below chance: that is convergence. A task
    whose labels are mostly noise has its floor near chance. Where the level of chance is not known, only a
    calm, positive loss that has not moved by 3 % counts, and of a log only one that does not move beyond its noise:
    training that goes on from trained weights gains as little.
    """
    seen = shape(curve.values)
    if seen is None or curve.objectives > 1 or seen.steps < least_steps or seen.end <= 0:
        return
    near = abs(seen.start - seen.end) < max(0.03 * seen.start, 2 * seen.noise)
    if curve.chance is not None:
        stuck = 0.93 * curve.chance < seen.end < 2 * curve.chance
        # A young run that has just passed below chance and goes on falling has not stopped anywhere.
        if seen.steps < young and seen.end + 3 * seen.error < curve.chance and seen.falling > 3:
            stuck = False
        level = f"chance is {curve.chance:.4g} ({curve.chance_is or 'from the labels'})"
    else:
        calm = swing(curve.values) < 0.3 and seen.lowest > 0 and seen.steps >= 2 * least_steps
        quarter = len(curve.values) // 4
        # Where the log says that weights were not loaded, it does not go on from trained ones.
        trained = curve.logged and not (said is not None and said.of("keys-not-matched"))
        early, late = median(curve.values[:quarter] or (0.0,)), median(curve.values[-quarter:] or (0.0,))
        stuck = calm and near and abs(early - late) < 0.03 * early and not (trained and moves(curve.values))
        level = "no change beyond noise"
    if curve.explained is not None and curve.chance is None:
        stuck = abs(curve.explained) < 0.05
        level = f"the predictions explain {curve.explained:.0%} of the targets' variance"
    if moved is not None and len(moved.ratios) >= 10 and not any(moved.ratios):
        stuck, level = True, "no step has changed a parameter"
    if near and order is not None and order.patterns and not any("s" in p.letters for p in order.patterns):
        stuck, level = True, "no step was made"
    if stuck:
        yield Finding(
            f"loss {seen.start:.4g} at the start, {seen.end:.4g} after {seen.steps} steps; {level}",
            where=(curve.where,) if curve.where else (),
        )


def moves(values: Sequence[float], *, errors: float = 3.0) -> bool:
    """Whether a curve has fallen within its first points, or from third to third, or is too noisy to tell."""
    known = finite(values)
    noise, end = roughness(known), median(known[-len(known) // 4 :])
    if max(known[:3]) > end + max(0.1 * end, 5 * noise):
        return True
    size = len(known) // 3
    first, second, third = (fmean(known[i * size : (i + 1) * size]) for i in range(3))
    error = errors * noise * sqrt(2 / size)
    return error > 0.015 * end or (first > second > third and first - third > error)
