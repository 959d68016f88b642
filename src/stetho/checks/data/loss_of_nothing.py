from collections.abc import Iterator, Sequence
from math import isfinite

from stetho.check import Finding, check
from stetho.facts import LossCurve, Metrics

TENS = list(range(10, 310, 10))
GRADIENT = {"name": "grad_norm", "kind": "gradient", "split": "", "file": "log", "points": 30, "steps": TENS}


def logged(losses: Sequence[float], norms: Sequence[float | str]) -> dict[str, object]:
    return {
        "loss-curve": {"values": losses, "steps": TENS[: len(losses)], "logged": True},
        "metrics": {"curves": [{**GRADIENT, "steps": TENS[: len(norms)], "values": norms}]},
    }


@check(
    reads=(Metrics, LossCurve),
    root="labels that are ignored",
    background=0.02,
    given={
        "data/labels-all-ignored": 0.75,
        # A trainer that leaves NaN out of its mean prints zero.
        "num/half-precision": 0.10,
        "num/overflow": 0.15,
        "num/exploding-gradients": 0.10,
        "hp/lr-too-high": 0.05,
        "other/unlisted": 0.03,
    },
    fires={
        "zero, and the gradient is NaN": logged([2.2, 2.0, 1.8] + [0.0] * 27, [3.2, 3.9, 4.0] + ["nan"] * 27),
        "zero from the first step on": logged([0.0] * 30, [0.0] * 30),
    },
    quiet={
        "learned to the end": logged([2.0 * 0.5**i for i in range(25)] + [0.0] * 5, [1.0] * 25 + [0.0] * 5),
        "learns": logged([2.2, 2.0, 1.8, 1.7], [3.2, 3.9, 4.0, 3.1]),
        "NaN, and not zero": logged([2.2, 2.0, 1.8, 1.7], [3.2, 3.9, "nan", "nan"]),
        "too short": logged([0.0] * 3, [0.0] * 3),
    },
)
def loss_of_nothing(metrics: Metrics, curve: LossCurve, *, least: int = 5, whole: int = 10) -> Iterator[Finding]:
    """The logged loss is exactly zero while its gradient is NaN, or from the first step to the last.

    ## Why it matters
    A loss over no target at all is zero or NaN: every label may be ignored. A trainer that leaves NaN out of its mean
    prints zero for it, too, so that half precision looks the same.

    ## False alarms
    A model can learn a margin loss down to zero; then its gradient is zero and not NaN, and it took its time.
    """
    values = curve.values
    tail = 0
    while tail < len(values) and values[-1 - tail] == 0:
        tail += 1
    if tail == len(values) >= whole and curve.objectives == 1:
        yield Finding(f"the loss is exactly 0 at all {tail} points", step=curve.steps[0] if curve.steps else None)
        return
    if tail < least or not curve.steps:
        return
    begun = curve.steps[-tail]
    for one in metrics.curves:
        late = [v for s, v in zip(one.steps, one.values, strict=True) if s >= begun]
        if one.kind == "gradient" and len(late) >= least and not any(map(isfinite, late)):
            yield Finding(f"from step {begun} on the loss is exactly 0 and {one.name} is {late[0]}", step=begun)
            return
