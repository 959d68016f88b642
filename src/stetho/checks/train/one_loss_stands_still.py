from collections.abc import Iterator
from math import exp
from typing import Any

from stetho.check import Finding, check
from stetho.curves import shape
from stetho.facts import StepLosses

FALLS = [2.0 * exp(-i / 25) + 0.3 + 0.02 * (-1) ** i for i in range(100)]
STAYS = [1.39 + 0.03 * (-1) ** i for i in range(100)]


def lines(*curves: list[float]) -> dict[str, Any]:
    made = [
        {"where": {"file": "train.py", "line": 40 + i}, "steps": list(range(len(values))), "values": values}
        for i, values in enumerate(curves)
    ]
    return {"lines": made}


@check(
    reads=StepLosses,
    root="losses-of-a-step",
    background=0.05,
    fires={"the first of two": lines(STAYS, FALLS), "one of three": lines(FALLS, STAYS, FALLS)},
    quiet={
        "both learn": lines(FALLS, [1.5 * v for v in FALLS]),
        "none learns": lines(STAYS, STAYS),
        "a penalty that is gone": lines([0.2 * v * v for v in FALLS], FALLS),
        "one around zero": lines([0.01 * (-1) ** i for i in range(100)], FALLS),
        "too short to tell": lines(STAYS[:10], FALLS[:10]),
    },
)
def one_loss_stands_still(losses: StepLosses, *, least: int = 20, share: float = 0.05) -> Iterator[Finding]:
    """Of several losses that backward is called on for a step, one falls and another stays where it was.

    ## Why it matters
    What it asks for is not learned, though backward is called on it: its gradients may never come to be used.

    ## False alarms
    The loss of one player in a game against another stays where it is as both get better, and so does one that was
    learned before the run.
    """
    shapes = [(line, seen) for line in losses.lines if (seen := shape(line.values)) and seen.steps >= least]
    moved = [seen for _, seen in shapes if seen.start - seen.end > max(3 * share * abs(seen.start), 4 * seen.error)]
    stays = [
        line
        for line, seen in shapes
        if seen.lowest > 0 and abs(seen.start - seen.end) < max(share * seen.start, seen.noise)
    ]
    if moved and stays:
        told = ", ".join(f"{line.values[0]:.4g} -> {line.values[-1]:.4g} ({line.where})" for line in stays[:3])
        places = tuple(line.where for line in stays if line.where is not None)
        yield Finding(f"of the losses of a step, one falls and another does not: {told}", where=places)
