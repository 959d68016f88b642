from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.checks.train.outdone_by_simple_model import (
    DROPPING,
    EXAMPLES_QUIET,
    OUTDONE,
    outdone,
    undropped,
)
from stetho.facts import Activations, DroppedInEvaluation, Evaluations, LossCurve, Printed, Reach, RunEnd

CURVE = {"values": [1.4, 1.3, 1.25, 1.2] + [1.19, 1.2] * 40}
SHORT = {"values": [2.2 - 0.05 * i for i in range(30)]}


@check(
    reads=(LossCurve, Reach),
    also=(RunEnd, Activations, Evaluations, DroppedInEvaluation, Printed),
    root="reach",
    severity=33,
    fires={"neighbours know better": {"loss-curve": CURVE, "reach": OUTDONE}},
    quiet={
        **{name: {"loss-curve": CURVE, "reach": reach} for name, reach in EXAMPLES_QUIET.items()},
        "half of its numbers are dropped": {"loss-curve": CURVE, "reach": OUTDONE, "activations": DROPPING},
        "a short try of the program, which is still learning": {"loss-curve": SHORT, "reach": OUTDONE},
        "ended before it was through": {
            "loss-curve": CURVE,
            "reach": OUTDONE,
            "run-end": {
                "code": None, "signal": None, "steps": 100, "seconds": 30.0, "attached": True, "stopped_by": "time",
            },
        },
    },
)  # fmt: skip
def loss_high(
    curve: LossCurve,
    reach: Reach,
    end: RunEnd | None,
    layers: Activations | None,
    evaluations: Evaluations | None,
    noise: DroppedInEvaluation | None,
    printed: Printed | None,
) -> Iterator[Finding]:
    """Training ends far below what a simple model reaches on the same samples.

    ## Why it matters
    The loss may fall all the while, and the network has still learned less than its data would teach it.

    ## False alarms
    A run that was ended before it was through is not judged, nor is a short one that is still learning. How much better
    the simple model must be is said by outdone-by-simple-model.
    """
    if (end is not None and end.stopped_by is not None) or under_way(curve):
        return
    told = outdone(undropped(reach, layers, evaluations, noise, printed))
    if told:
        yield Finding(told, where=(curve.where,) if curve.where else ())


def under_way(curve: LossCurve, *, short: int = 150, falls: float = 0.1) -> bool:
    """Whether a run of few steps still comes down at its end."""
    if (curve.steps[-1] + 1 if curve.steps else len(curve.values)) >= short:
        return False
    fifth = max(1, len(curve.values) // 5)
    before, last = median(curve.values[-3 * fifth : -2 * fifth] or curve.values[:1]), median(curve.values[-fifth:])
    return last < (1 - falls) * before
