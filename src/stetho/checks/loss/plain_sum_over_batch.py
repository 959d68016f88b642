from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import InputScale, LossCurve

CURVE = {"values": [900.0] * 30, "where": {"file": "train.py", "line": 41}}
INPUT = {"mean": 0.0, "std": 1.0, "low": -3.0, "high": 3.0, "shape": [64, 20]}


@check(
    reads=(LossCurve, InputScale),
    root="loss-reduction",
    background=0.05,
    fires={"a sum over 64 samples": {"loss-curve": {**CURVE, "summed": 64}, "input-scale": INPUT}},
    quiet={
        "a mean": {"loss-curve": {**CURVE, "summed": 0}, "input-scale": INPUT},
        "a sum over a few terms": {"loss-curve": {**CURVE, "summed": 3}, "input-scale": INPUT},
        "not known": {"loss-curve": CURVE, "input-scale": INPUT},
        "a batch of one": {"loss-curve": {**CURVE, "summed": 5}, "input-scale": {**INPUT, "shape": [1, 20]}},
    },
)
def plain_sum_over_batch(curve: LossCurve, inputs: InputScale) -> Iterator[Finding]:
    """The last thing done to the loss is a sum over all samples of the batch.

    ## Why it matters
    The gradient, and so the step, grows with the batch size; a usual learning rate is then far too high.

    ## False alarms
    A sum with a rate chosen for it trains well, and rates that adapt hardly notice; so this alone is no fault.
    """
    batch = inputs.shape[0] if inputs.shape else 1
    if curve.summed and batch > 1 and curve.summed >= batch and curve.summed % batch == 0:
        yield Finding(
            f"the loss is a plain sum of {curve.summed} numbers, for {batch} samples",
            where=tuple(p for p in (curve.made_at, curve.where) if p is not None),
        )
