from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossCurve

CURVE = {"values": [900.0] * 30, "where": {"file": "train.py", "line": 41}}


@check(
    reads=LossCurve,
    root="loss-reduction",
    background=0.04,
    fires={"a thousand times": {"values": [900.0] * 30, "factor": 1000.0}},
    quiet={
        "as the library computes it": {**CURVE, "factor": 1.0},
        "divided by the batches of a step": {**CURVE, "factor": 0.05},
        "weighed a little": {**CURVE, "factor": 4.0},
        "not known": CURVE,
    },
)
def loss_multiplied(curve: LossCurve, *, times: float = 20.0) -> Iterator[Finding]:
    """Backward is called on many times the loss that the library computed.

    ## Why it matters
    The gradient, and so the step, is as many times larger; a usual learning rate is then far too high.

    ## False alarms
    A factor with a rate chosen for it trains well, and rates that adapt hardly notice; so this alone is no fault.
    """
    if curve.factor is not None and abs(curve.factor) >= times:
        yield Finding(
            f"backward is called on {curve.factor:.4g} times the loss that was computed",
            where=tuple(p for p in (curve.made_at, curve.where) if p is not None),
        )
