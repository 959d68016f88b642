from collections.abc import Iterator
from itertools import chain, islice
from math import log
from statistics import median

from stetho.check import Finding, check
from stetho.curves import finite, roughness, shape
from stetho.facts import FirstLoss, LossCurve, Printed, PrintedNumber, ValidationLoss
from stetho.logged.roles import words_of

FALLS = [2.3 * 0.9**i + 0.1 for i in range(30)]
TURNS = [2.3 * 0.85**i + 0.5 + max(0, i - 10) * 0.06 for i in range(30)]
LONG = list(range(0, 3000, 100))
# Training below this share of the loss of guessing has learned; held-out data above that share of it is guessed.
LEARNED, ABOVE = 0.7, 1.15
# Times the share that an answer drawn by lot is right; the last digits of a small set are noise.
BY_LOT = 1.2
# Evaluations that are many, and the share of the loss of guessing below which training has at least begun.
OFTEN, BEGUN = 8, 0.9
# A held-out loss that never came below this share of the loss of guessing, while training is below that one.
NEVER, SURELY = 0.95, 0.85


def validated(held: dict[str, object]) -> dict[str, object]:
    return {"loss-curve": {"values": FALLS}, "validation-loss": held}


def against_chance(score: float, loss: float = 0.2, **first: object) -> dict[str, object]:
    """A classifier of ten classes that fits its training data, beside a printed held-out accuracy."""
    return {
        "loss-curve": {"values": [2.3 * 0.9**i + loss for i in range(60)], "chance": 2.3},
        "first-loss": {"values": [2.5], "chance": 2.3, "classes": 10, **first},
        "printed": {"numbers": [{"name": "test acc", "kind": "score", "split": "validation", "values": [score]}]},
    }


def explains(r2: float, explained: float | None = 0.9) -> dict[str, object]:
    return {
        "loss-curve": {"values": FALLS, "explained": explained},
        "printed": {"numbers": [{"name": "valid_r2", "kind": "score", "split": "validation", "values": [r2]}]},
    }


def held_at(*values: float) -> dict[str, object]:
    """The same classifier beside a held-out loss."""
    return {
        "loss-curve": {"values": [2.3 * 0.9**i + 0.1 for i in range(60)], "chance": 2.3},
        "first-loss": {"values": [2.5], "chance": 2.3, "classes": 10},
        "validation-loss": {"name": "val loss", "steps": list(range(len(values))), "values": list(values)},
    }


@check(
    reads=LossCurve,
    also=(ValidationLoss, FirstLoss, Printed),
    root="validation-loss",
    severity=35,
    fires={
        "turns while training goes on falling": validated({
            "name": "val_loss", "steps": LONG, "values": TURNS, "training": FALLS,
        }),
        "few points, far up": validated({
            "name": "val", "steps": [1, 2, 3, 4, 5, 6, 7, 8], "values": [1.0, 0.6, 0.5, 0.52, 0.6, 0.72, 0.85, 0.99],
            "training": [0.9, 0.5, 0.3, 0.2, 0.12, 0.08, 0.05, 0.03],
        }),
        "a fifth up, smoothly, while training falls to a fraction": validated({
            "name": "test", "steps": LONG, "values": [1.7, 1.55, 1.5, *(1.5 + 0.35 * (1 - 0.9**i) for i in range(27))],
            "training": [1.5 * 0.85**i for i in range(30)],
        }),
        "trained far below chance, held out above it": held_at(2.4, 3.1, 5.0, 7.5),
        "held-out answers are no better than drawn by lot": against_chance(0.08),
        "never below the loss of guessing, while training falls": {
            **held_at(2.29, 2.28, 2.31, 2.33, 2.36, 2.4, 2.42),
            "loss-curve": {"values": [2.3 - 0.01 * i for i in range(60)], "chance": 2.3},
        },
        "worse than the mean of the targets on held-out data": explains(-0.3),
        "never better than by lot, while training has begun": {
            **against_chance(0.1, loss=1.8),
            "printed": {"numbers": [
                {"name": "val_acc", "kind": "score", "split": "validation", "values": [0.1, 0.11] * 6},
            ]},
        },
    },
    quiet={
        "held out below chance": held_at(2.1, 1.6, 1.5, 1.6),
        "held out a little below the loss of guessing": {
            **held_at(2.29, 2.2, 2.15, 2.12, 2.1, 2.1, 2.12),
            "loss-curve": {"values": [2.3 - 0.01 * i for i in range(60)], "chance": 2.3},
        },
        "training multiplies its loss": {
            **held_at(0.4, 0.3, 0.3, 0.3),
            "loss-curve": {"values": [0.003 * 0.9**i for i in range(60)], "chance": 0.0023},
        },
        "training has not come far either": against_chance(0.1, loss=2.0),
        "better than drawn by lot": against_chance(0.45),
        "as many classes as nobody knows": against_chance(0.05, classes=None),
        "in percent": against_chance(62.0),
        "explains less on held-out data": explains(0.4),
        "explains nothing anywhere": explains(-0.1, 0.02),
        "falls throughout": validated({"name": "val_loss", "steps": LONG, "values": FALLS, "training": FALLS}),
        "flattens out above training": validated({
            "name": "val_loss", "steps": LONG, "values": [max(v, 0.8) for v in FALLS], "training": FALLS,
        }),
        "a little above its best": validated({
            "name": "val_loss", "steps": LONG, "values": [max(v, 0.5) + 0.002 * i for i, v in enumerate(FALLS)],
            "training": FALLS,
        }),
        "a fifth up, training hardly lower": validated({
            "name": "test", "steps": LONG, "values": [1.7, 1.55, 1.5, *(1.5 + 0.35 * (1 - 0.9**i) for i in range(27))],
            "training": [1.5 * 0.99**i for i in range(30)],
        }),
        "both rise: training itself goes wrong": validated({
            "name": "val_loss", "steps": LONG, "values": TURNS, "training": TURNS,
        }),
        "noisy, no turn": validated({
            "name": "val_loss", "steps": LONG, "values": [0.5 + 0.2 * (i % 3) for i in range(30)], "training": FALLS,
        }),
        "training is not logged": validated({"name": "val_loss", "steps": LONG, "values": TURNS}),
        "too few": validated({
            "name": "val_loss", "steps": [1, 2, 3], "values": [0.5, 0.6, 0.9], "training": [0.4, 0.3, 0.2],
        }),
    },
)  # fmt: skip
def overfitting(
    curve: LossCurve,
    held: ValidationLoss | None,
    first: FirstLoss | None,
    printed: Printed | None,
    *,
    least: int = 6,
) -> Iterator[Finding]:
    """The validation loss has turned and climbs while the training loss goes on falling, or held-out data is guessed.

    ## Why it matters
    From the turning point on the model learns its training data by heart; what it does on new data gets worse. A model
    that fits what it is trained on and does no better than guessing elsewhere has learned nothing that holds.

    ## False alarms
    Some rise after the best epoch is usual, and early stopping lives with it: only a rise by a quarter of the best
    level, beyond noise, counts, or by a sixth of it far beyond noise while the training loss falls to a third. A
    validation loss can also climb while accuracy holds, as confident errors cost more. Guessing is judged only where
    the number of classes, or the share of the targets' variance that training explains, is known.
    """
    if held is not None and len(held.training) == len(held.values) >= least:
        found = list(turned(held))
        yield from found
        if found:
            return
    if curve.objectives == 1:
        yield from islice(
            chain(guessed(curve, held, first), answered(curve, first, printed), explained(curve, printed)), 1
        )


def turned(held: ValidationLoss, *, rise: float = 0.25) -> Iterator[Finding]:
    """A validation loss with a turning point, beside a training loss that goes on falling."""
    known = finite(held.values)
    if len(known) < len(held.values) or min(known) <= 0:
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


def guessed(
    curve: LossCurve, held: ValidationLoss | None, first: FirstLoss | None, *, least: int = 6
) -> Iterator[Finding]:
    """A held-out loss of classes above what guessing costs, while training is far below it."""
    end = shape(curve.values)
    if held is None or first is None or first.classes is None or curve.chance is None or end is None:
        return
    known = finite(held.values)
    # Errors of answers and errors of numbers have other units than the loss.
    same = not words_of(held.name) & {"mae", "mse", "rmse", "error", "err", "ppl", "perplexity"}
    # What was never better than guessing, time after time, needs less of training, and less of a rise, to be told.
    never = len(known) >= least and min(known) > NEVER * curve.chance and end.end < SURELY * curve.chance
    if len(known) < 3 or not same or not (never or end.end <= LEARNED * curve.chance):
        return
    # Training may multiply its loss by something that the held-out loss is not multiplied by.
    if not 0.2 < curve.chance / log(max(2, first.classes)) < 3:
        return
    last = median(known[-max(2, len(known) // 5) :])
    if last > (1.0 if never else ABOVE) * curve.chance:
        yield Finding(
            f"{held.name} ends at {last:.3g}, above the {curve.chance:.3g} of guessing, while the training loss ends "
            f"at {end.end:.3g}"
        )


def answered(curve: LossCurve, first: FirstLoss | None, printed: Printed | None) -> Iterator[Finding]:
    """A held-out accuracy that is no better than drawn by lot, while training is far below the loss of guessing."""
    end = shape(curve.values)
    if printed is None or first is None or not first.classes or curve.chance is None or end is None:
        return
    for one in accuracies(printed):
        top = 100.0 if max(one.values) > 1 else 1.0
        last = median(one.values[-3:]) / top
        # What was never better than by lot, time after time, needs less of training to be told.
        never = len(one.values) >= OFTEN and max(one.values) / top < BY_LOT / first.classes
        if end.end > (BEGUN if never else LEARNED) * curve.chance:
            continue
        if last < BY_LOT / first.classes:
            yield Finding(
                f"{one.name} ends at {last:.2g} with {first.classes} classes, while the training loss of {end.end:.3g} "
                f"is far below the {curve.chance:.3g} of guessing"
            )


def accuracies(printed: Printed) -> list[PrintedNumber]:
    return [
        one
        for one in printed.numbers
        if one.split == "validation" and one.kind == "score" and words_of(one.name) & {"acc", "accuracy"}
    ]


def explained(curve: LossCurve, printed: Printed | None) -> Iterator[Finding]:
    """Held-out numbers that are predicted worse than by their mean, while training explains most of its targets."""
    if printed is None or curve.explained is None or curve.explained < 0.5:
        return
    for one in printed.numbers:
        if one.split == "validation" and "r" in words_of(one.name) and one.kind == "score":
            last = median(one.values[-3:])
            if last < 0:
                yield Finding(
                    f"{one.name} ends at {last:.2g}, worse than predicting the mean, while training explains "
                    f"{curve.explained:.0%} of its targets' variance"
                )
