from collections.abc import Iterator
from math import isfinite
from statistics import median

from stetho.check import Finding, check
from stetho.facts import LossCurve, SavedStates, WeightsRead

PLACE = {"file": "train.py", "line": 9}
LEFT = {"what": "optimizer", "name": "Adam", "where": PLACE, "saved": 400, "begun": 0, "same": True}
SCHEDULE = {"what": "scheduler", "name": "CosineAnnealingLR", "where": PLACE, "saved": 30, "begun": 0, "same": True}
WEIGHTS = {"what": "file", "where": PLACE, "elements": 1000, "fits": 990, "held": 990}
RISES = {"values": [0.2, *[0.4 + 0.01 * (i % 3) for i in range(40)]]}
FALLS = {"values": [0.9 * 0.97**i for i in range(40)]}


def begins(*states: object, held: int = 990, curve: object = RISES) -> dict[str, object]:
    read = {"sources": [{**WEIGHTS, "held": held}]}
    return {"saved-states": {"states": list(states)}, "weights-read": read, "loss-curve": curve}


@check(
    reads=(SavedStates, WeightsRead, LossCurve),
    root="saved-state",
    background=0.02,
    given={"train/resume-broken": 0.90, "none/healthy": 0.02, "other/unlisted": 0.02},
    fires={
        "the optimizer begins anew": begins(LEFT),
        "the schedule begins anew": begins({**LEFT, "begun": 400}, SCHEDULE),
    },
    quiet={
        "goes on where it was": begins({**LEFT, "begun": 400}, {**SCHEDULE, "begun": 30}),
        "another rate, for another purpose": begins({**LEFT, "same": False}),
        "nothing is lost by it": begins(LEFT, curve=FALLS),
        "the weights are not taken up either": begins(LEFT, held=0),
        "two players": begins(LEFT, curve={**RISES, "objectives": 2}),
    },
)
def saved_state_unused(
    found: SavedStates, read: WeightsRead, curve: LossCurve, *, early: int = 40, rise: float = 1.05
) -> Iterator[Finding]:
    """A file gave the weights and the optimizer's state; the state is not taken up, and the loss rises at once.

    ## Why it matters
    An optimizer that knows nothing takes its first steps at full size, and a schedule that starts over at its highest
    rate: what was learned is shaken loose.

    ## False alarms
    Fine-tuning begins with a new optimizer on purpose. It mostly has another rate, another head or frozen layers, and
    its loss falls from the first step on: none of these is reported.
    """
    used = any(s.elements and s.held >= 0.5 * s.elements for s in read.sources)
    left = [s for s in found.states if s.same and s.saved > 0 and s.begun == 0]
    values = curve.values[: early + 1]
    if not used or not left or curve.objectives > 1 or len(values) < 6 or not all(map(isfinite, values)):
        return
    after = median(values[1:])
    if after > rise * values[0] > 0:
        names = " and ".join(dict.fromkeys(f"{s.name} after {s.saved} steps" for s in left))
        yield Finding(
            f"the file that gave the weights holds the state of {names}, and the first step begins without it; "
            f"the loss rises from {values[0]:.3g} to {after:.3g}",
            where=tuple(dict.fromkeys(s.where for s in left if s.where is not None)),
        )
