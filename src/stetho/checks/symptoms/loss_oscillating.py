import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import shape, swing
from stetho.facts import LossCurve, LossSwings

STAYS = {"values": [2.3] * 60, "logged": True}
SWINGS = {"name": "loss", "points": 150, "start": 2.3, "level": 2.4, "swing": 0.4, "against": -0.8, "lag": 1}


@check(
    reads=LossCurve,
    also=LossSwings,
    root="loss-curve",
    severity=70,
    fires={
        "jumps about chance": {
            "loss-curve": {"values": [2.3, 4.0, 1.9, 5.2, 2.2, 3.9, 2.0, 5.0] * 6, "chance": 2.303},
        },
        "jumps far above what a rare class in a batch brings": {
            "loss-curve": {"values": [0.9, 0.1, 1.4, 0.02] * 15, "chance": 0.08, "label_noise": 0.046},
        },
        "high after low, in a log": {"loss-curve": STAYS, "loss-swings": SWINGS},
    },
    quiet={
        "noisy and falling": {
            "loss-curve": {"values": [2.3 - i * 0.04 + 0.1 * (-1) ** i for i in range(48)], "chance": 2.303},
        },
        "targets of much noise, learned as far as they can be": {
            "loss-curve": {"values": [1.3, 0.8, 1.1, 0.7, 1.25, 0.9, 1.0, 0.75] * 6, "chance": 1.05},
        },
        "one or two of a rare class in a batch, as it happens": {
            "loss-curve": {
                "values": [0.02, 0.08, 0.02, 0.14, 0.02, 0.08, 0.02, 0.08, 0.15] * 6,
                "chance": 0.08, "label_noise": 0.046, "rarest_label": 0.032,
            },
        },
        "calm at chance": {"loss-curve": {"values": [2.31, 2.30] * 24, "chance": 2.303}},
        "no known level": {"loss-curve": {"values": [0.2, -0.3, 0.1, -0.2] * 12}},
        "noise of single samples": {"loss-curve": STAYS, "loss-swings": {**SWINGS, "against": -0.1}},
        "few points, opposed by chance": {
            "loss-curve": STAYS,
            "loss-swings": {**SWINGS, "points": 20, "against": -0.45},
        },
        "calm": {"loss-curve": STAYS, "loss-swings": {**SWINGS, "swing": 0.1}},
        "two players": {"loss-curve": {**STAYS, "objectives": 2}, "loss-swings": SWINGS},
    },
)  # fmt: skip
def loss_oscillating(curve: LossCurve, swings: LossSwings | None, *, least: float = 0.2) -> Iterator[Finding]:
    """The loss jumps about and does not come down.

    ## Why it matters
    Steps overshoot: what one batch teaches, the next one breaks.

    ## False alarms
    Losses without a known chance level (policy gradients, adversarial games) oscillate in health; they are
    left alone. In a log without one, a loss that stays where it began counts when its points are opposed to each
    other, high after low: noise of small batches is not. Where a class is rare, the loss of a batch follows how many of
    it the batch holds; what that brings is known and allowed for.
    """
    if curve.logged and swings is not None and curve.objectives == 1:
        if swings_back(swings):
            yield Finding(
                f"{swings.name} swings by {swings.swing:.0%} of its level around {swings.level:.3g}, high and low "
                f"{swings.lag} apart (correlation {swings.against:.2f}), and began at {swings.start:.3g}"
            )
        return
    seen = shape(curve.values)
    if seen is None or curve.chance is None or curve.objectives > 1 or seen.steps < 20:
        return
    amount = swing(curve.values)
    if amount > least and seen.end > 0.9 * min(seen.start, curve.chance) and overshoots(curve, curve.chance):
        yield Finding(
            f"loss swings by {amount:.0%} of its level around {seen.end:.3g}; chance is {curve.chance:.3g}",
            where=(curve.where,) if curve.where else (),
        )


def overshoots(curve: LossCurve, chance: float, *, above: float = 1.5, sigmas: float = 2.5) -> bool:
    """Whether one late value in ten lies far above chance: batches of noisy targets scatter about it, no farther.

    Batches that hold a few of a rare class, or none, scatter more; one in ten is so far from chance by none of that.
    """
    late = sorted(v for v in curve.values[len(curve.values) // 2 :] if math.isfinite(v))
    limit = max(above * chance, chance + sigmas * (curve.label_noise or 0.0))
    return bool(late) and late[len(late) * 9 // 10] > limit


def swings_back(swings: LossSwings, *, opposed: float = 0.3, errors: float = 4.5, least: float = 0.25) -> bool:
    """Whether a logged loss swings: far, and high against low by more than so many points are by chance."""
    return swings.swing > least and swings.against < -max(opposed, errors / math.sqrt(swings.points))
