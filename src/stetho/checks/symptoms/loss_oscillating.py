from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import shape, swing
from stetho.facts import LossCurve


@check(
    reads=LossCurve,
    root="loss-curve",
    severity=70,
    fires={"jumps about chance": {"values": [2.3, 4.0, 1.9, 5.2, 2.2, 3.9, 2.0, 5.0] * 6, "chance": 2.303}},
    quiet={
        "noisy and falling": {
            "values": [2.3 - i * 0.04 + 0.1 * (-1) ** i for i in range(48)],
            "chance": 2.303,
        },
        "calm at chance": {"values": [2.31, 2.30] * 24, "chance": 2.303},
        "no known level": {"values": [0.2, -0.3, 0.1, -0.2] * 12},
    },
)
def loss_oscillating(curve: LossCurve, *, least: float = 0.2) -> Iterator[Finding]:
    """The loss jumps about and does not come down.

    ## Why it matters
    Steps overshoot: what one batch teaches, the next one breaks.

    ## False alarms
    Losses without a known chance level (policy gradients, adversarial games) oscillate in health; they are
    left alone.
    """
    seen = shape(curve.values)
    if seen is None or curve.chance is None or curve.objectives > 1 or seen.steps < 20:
        return
    amount = swing(curve.values)
    if amount > least and seen.end > 0.9 * min(seen.start, curve.chance):
        yield Finding(
            f"loss swings by {amount:.0%} of its level around {seen.end:.3g}; chance is {curve.chance:.3g}",
            where=(curve.where,) if curve.where else (),
        )
