from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import InputScale

SCALE = {
    "mean": 0.4, "std": 20.0, "low": -3.1, "high": 2900.0, "samples": 800, "usual_mean": 0.0, "usual_std": 1.0,
    "where": {"file": "train.py", "line": 33},
}  # fmt: skip


@check(
    reads=InputScale,
    root="input-extremes",
    background=0.04,
    given={"data/inputs-unnormalized": 0.06, "data/nonfinite-values": 0.06},
    fires={"a few a thousand times as large": SCALE},
    quiet={
        "standardised": {**SCALE, "high": 4.2},
        "a long tail": {**SCALE, "high": 35.0},
        "one feature in raw units": {**SCALE, "usual_std": 900.0, "std": 900.0},
        "tokens": {**SCALE, "discrete": True},
        "nothing varies": {**SCALE, "usual_std": 0.0},
    },
)
def samples_far_out(scale: InputScale, *, times: float = 80.0) -> Iterator[Finding]:
    """Some values that enter the model lie very far beyond what most batches hold.

    ## Why it matters
    One sample that was read wrongly, or in another unit, makes the loss of its batch jump and the step that follows
    undo what others have learned.

    ## False alarms
    Measures with long tails have such values by nature; where they do no harm, there is no symptom to explain.
    """
    mean, std = scale.usual_mean, scale.usual_std
    if scale.discrete or scale.nonfinite or mean is None or not std:
        return
    far = max(scale.high - mean, mean - scale.low) / std
    if far > times and scale.std > 3 * std:
        yield Finding(
            f"inputs reach from {scale.low:.3g} to {scale.high:.3g}, {far:.0f} times the spread {std:.3g} that batches "
            f"usually have",
            where=(scale.where,) if scale.where else (),
        )
