from collections.abc import Iterator
from math import isfinite
from statistics import median

from stetho.check import Finding, check
from stetho.facts import ValidationLoss

STEPS = list(range(12))


@check(
    reads=ValidationLoss,
    root="validation-loss",
    background=0.10,
    # Of runs that are well, too, a good part fit what they train on far better than the rest.
    given=dict.fromkeys(
        ("none/healthy", "none/completed", "none/converged", "none/noise-floor", "none/slow-but-learning"), 0.16
    ),
    fires={
        "training ends at a fifth": {
            "name": "val_loss", "steps": STEPS, "values": [1.0] * 12, "training": [1.0 - 0.07 * i for i in range(12)],
        },
        "nothing is left of it, as far as it is told": {
            "name": "val_loss", "steps": STEPS, "values": [1.0] * 12, "training": [0.7, 0.3, 0.1] + [0.0] * 9,
        },
    },
    quiet={
        "both fall": {
            "name": "val_loss", "steps": STEPS, "values": [1.0 - 0.05 * i for i in range(12)],
            "training": [1.0 - 0.06 * i for i in range(12)],
        },
        "held-out data is learned as well": {
            "name": "val_loss", "steps": STEPS, "values": [4.0 * 0.5**i for i in range(12)],
            "training": [4.0 * 0.4**i for i in range(12)],
        },
        "training is not logged": {"name": "val_loss", "steps": STEPS, "values": [1.0] * 12},
        "losses around zero": {
            "name": "val_loss", "steps": STEPS, "values": [-0.5] * 12, "training": [-0.9] * 12,
        },
    },
)  # fmt: skip
def training_alone_fits(held: ValidationLoss, *, share: float = 0.5, little: float = 0.02) -> Iterator[Finding]:
    """The training loss ends at less than half of the validation loss.

    ## Why it matters
    What the model has learned of its training data does not hold for other data.

    ## False alarms
    Dropout and augmentation raise the training loss, so a gap can be larger than it looks; and a validation set that
    differs from the training data has a gap from the first epoch on. Where as good as nothing of the validation loss is
    left, other data is learned as well.
    """
    pairs = [(t, v) for t, v in zip(held.training, held.values, strict=False) if isfinite(t) and isfinite(v)]
    if len(pairs) < 4 or min(t for t, _ in pairs) < 0 or min(v for _, v in pairs) <= 0:
        return
    last = pairs[-max(2, len(pairs) // 5) :]
    training, validation = median(t for t, _ in last), median(v for _, v in last)
    begun = max(pairs[0])
    if training < share * validation and validation > little * begun:
        yield Finding(f"the training loss ends at {training:.3g}, {held.name} at {validation:.3g}", step=held.steps[-1])
