from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.curves import finite, roughness
from stetho.facts import ValidationLoss

FALLS = [2.3 * 0.9**i + 0.1 for i in range(30)]
TURNS = [2.3 * 0.85**i + 0.5 + max(0, i - 10) * 0.06 for i in range(30)]
LONG = list(range(0, 3000, 100))


@check(
    reads=ValidationLoss,
    root="validation-loss",
    severity=35,
    fires={
        "turns while training goes on falling": {
            "name": "val_loss", "steps": LONG, "values": TURNS, "training": FALLS,
        },
        "few points, far up": {
            "name": "val", "steps": [1, 2, 3, 4, 5, 6, 7, 8], "values": [1.0, 0.6, 0.5, 0.52, 0.6, 0.72, 0.85, 0.99],
            "training": [0.9, 0.5, 0.3, 0.2, 0.12, 0.08, 0.05, 0.03],
        },
        "a fifth up, smoothly, while training falls to a fraction": {
            "name": "test", "steps": LONG, "values": [1.7, 1.55, 1.5, *(1.5 + 0.35 * (1 - 0.9**i) for i in range(27))],
            "training": [1.5 * 0.85**i for i in range(30)],
        },
    },
    quiet={
        "falls throughout": {"name": "val_loss", "steps": LONG, "values": FALLS, "training": FALLS},
        "flattens out above training": {
            "name": "val_loss", "steps": LONG, "values": [max(v, 0.8) for v in FALLS], "training": FALLS,
        },
        "a little above its best": {
            "name": "val_loss", "steps": LONG, "values": [max(v, 0.5) + 0.002 * i for i, v in enumerate(FALLS)],
            "training": FALLS,
        },
        "a fifth up, training hardly lower": {
            "name": "test", "steps": LONG, "values": [1.7, 1.55, 1.5, *(1.5 + 0.35 * (1 - 0.9**i) for i in range(27))],
            "training": [1.5 * 0.99**i for i in range(30)],
        },
        "both rise: training itself goes wrong": {
            "name": "val_loss", "steps": LONG, "values": TURNS, "training": TURNS,
        },
        "noisy, no turn": {
            "name": "val_loss", "steps": LONG, "values": [0.5 + 0.2 * (i % 3) for i in range(30)], "training": FALLS,
        },
        "training is not logged": {"name": "val_loss", "steps": LONG, "values": TURNS},
        "too few": {"name": "val_loss", "steps": [1, 2, 3], "values": [0.5, 0.6, 0.9], "training": [0.4, 0.3, 0.2]},
    },
)  # fmt: skip
def overfitting(held: ValidationLoss, *, rise: float = 0.25, least: int = 6) -> Iterator[Finding]:
    """The validation loss has turned and climbs while the training loss goes on falling.

    ## Why it matters
    From the turning point on the model learns its training data by heart; what it does on new data gets worse.

    ## False alarms
    Some rise after the best epoch is usual, and early stopping lives with it: only a rise by a quarter of the best
    level, beyond noise, counts, or by a sixth of it far beyond noise while the training loss falls to a third. A
    validation loss can also climb while accuracy holds, as confident errors cost more.
    """
    known = finite(held.values)
    if len(known) < max(least, len(held.values)) or len(held.training) != len(known) or min(known) <= 0:
        return
    width = max(1, len(held.values) // 10)
    levels = [median(held.values[max(0, i - width) : i + width + 1]) for i in range(len(held.values))]
    turn = min(range(len(levels)), key=lambda i: levels[i])
    after = held.values[turn + 1 :]
    last = median(held.values[-max(2, min(len(after) // 3, len(known) // 5)) :])
    climbed = last - levels[turn]
    learned = held.training[turn] - held.training[-1]
    # By heart for sure: training has left validation far behind.
    parted = held.training[-1] < held.training[turn] / 3 and climbed > 20 * roughness(known) and len(after) >= 10
    if (
        len(after) >= 3
        and climbed > max((rise / 1.5 if parted else rise) * levels[turn], 3 * roughness(known))
        and learned > 0.1 * abs(held.training[turn])
    ):
        yield Finding(
            f"{held.name} is lowest at step {held.steps[turn]} ({levels[turn]:.3g}) and ends at {last:.3g}, while the "
            f"training loss falls on from {held.training[turn]:.3g} to {held.training[-1]:.3g}",
            step=held.steps[turn],
        )
