from collections.abc import Iterator
from typing import Any

from stetho.check import Finding, check
from stetho.facts import CallOrder, LossCurve


def example(letters: str, backwards: float, factor: float | None) -> dict[str, Any]:
    pattern = {"order": letters, "letters": letters, "steps": 40, "first": 0}
    order = {"optimizer": "SGD", "steps": 40, "patterns": [pattern], "distinct": 1, "backwards": backwards}
    return {"call-order": order, "loss-curve": {"values": [1.0] * 40, "factor": factor}}


@check(
    reads=(CallOrder, LossCurve),
    root="accumulation",
    background=0.02,
    fires={"eight batches, each with its whole loss": example("z" + "fb" * 8 + "s", 8, 1.0)},
    quiet={
        "each divided by eight": example("z" + "fb" * 8 + "s", 8, 0.125),
        "one backward for a step": example("zfbs", 1, 1.0),
        "cleared between them": example("zfbzfbzfbzfbs", 4, 1.0),
        "two losses of one batch": example("zfbbs", 2, 1.0),
        "what the loss was multiplied by is not known": example("z" + "fb" * 8 + "s", 8, None),
    },
)
def accumulated_undivided(order: CallOrder, curve: LossCurve, *, least: int = 4) -> Iterator[Finding]:
    """The gradients of several batches are added up for one step, and nothing divides them.

    ## Why it matters
    Each step is as many times too large as there are batches, as if the learning rate were.

    ## False alarms
    A rate that was chosen for the sum; adaptive optimizers, which do not mind a constant factor.
    """
    usual = order.patterns[0].letters if order.patterns else ""
    count, factor = order.backwards, curve.factor
    between = usual[usual.find("b") + 1 : usual.rfind("b")]
    if count is None or factor is None or count < least or "z" in between or usual.count("fb") < least:
        return
    if factor * count >= 0.7 * count:
        places = tuple(p for p in (order.backward_at, order.step_at) if p is not None)
        yield Finding(
            f"{count:.0f} backwards are added up for each step, each of {factor:.3g} times its loss", where=places
        )
