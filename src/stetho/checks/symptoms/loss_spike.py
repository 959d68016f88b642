from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import best_level, shape
from stetho.facts import LossCurve, UpdateRatios

CLIMBS = [2.4 - i * 0.017 for i in range(100)] + [0.7 + i * 0.02 for i in range(40)]
LARGE = {"steps": list(range(10)), "ratios": [0.3] * 10}


@check(
    reads=(LossCurve, UpdateRatios),
    root="loss-curve",
    severity=60,
    fires={"climbs back": {"loss-curve": {"values": CLIMBS, "chance": 2.3}, "update-ratios": LARGE}},
    quiet={
        "comes down and stays": {
            "loss-curve": {"values": [2.4 * 0.97**i for i in range(140)], "chance": 2.3},
            "update-ratios": LARGE,
        },
        "rises under calm updates, as a curriculum does": {
            "loss-curve": {"values": CLIMBS, "chance": 2.3},
            "update-ratios": {"steps": list(range(10)), "ratios": [0.01] * 10},
        },
    },
)
def loss_spike(curve: LossCurve, updates: UpdateRatios, *, early: float = 0.1) -> Iterator[Finding]:
    """The loss has climbed back far above the level it had reached, under large updates.

    ## Why it matters
    What was learned is lost again, in a jump or bit by bit.

    ## False alarms
    A task that gets harder, or a term that is phased in, raises the loss on purpose; their updates are calm.
    """
    seen, best = shape(curve.values), best_level(curve.values)
    if seen is None or best is None or curve.chance is None or curve.objectives > 1 or seen.steps < 40 or best <= 0:
        return
    first = sorted(updates.ratios[:10])[len(updates.ratios[:10]) // 2] if updates.ratios else 0.0
    if first > early and seen.end > 1.5 * best and seen.end - best > 0.15 * seen.start:
        yield Finding(
            f"loss climbs back to {seen.end:.3g} after {best:.3g}",
            where=(curve.where,) if curve.where else (),
        )
