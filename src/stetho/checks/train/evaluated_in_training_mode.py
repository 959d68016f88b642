from collections.abc import Iterator
from typing import Any

from stetho.check import Finding, check
from stetho.facts import Modes

TRAIN = {"training": True, "grad": True, "step": 0, "where": None, "dropouts_in_training": 2}
NOISY = {"training": True, "grad": False, "step": 50, "where": None, "dropouts_in_training": 2}
RIGHT = {"training": False, "grad": False, "step": 50, "where": None, "dropouts_in_eval": 2}
PLAIN = {"training": True, "grad": False, "step": 50, "where": None, "dropouts_in_training": 0}


def example(*uses: dict[str, Any], train: int = 500, others: int = 60) -> dict[str, Any]:
    calls = [{"training": True, "grad": True, "calls": train}, {"training": True, "grad": False, "calls": others}]
    return {"uses": [TRAIN, *uses], "calls": calls}


@check(
    reads=Modes,
    root="mode-of-evaluation",
    background=0.02,
    fires={"dropout while validating": example(NOISY)},
    quiet={
        "no layer that minds": example(PLAIN),
        "in evaluation mode as well, as for an uncertainty": example(RIGHT, NOISY),
        "a generator that makes samples at each step": example(NOISY, others=500),
        "only trained": example(),
    },
)
def evaluated_in_training_mode(modes: Modes, *, most: float = 0.6) -> Iterator[Finding]:
    """The model is called without gradients in training mode, and never in evaluation mode.

    ## Why it matters
    Dropout makes its answers worse than they are, and batch normalisation lets samples of a batch depend on each other.

    ## False alarms
    Samples that a model makes for its own training, and dropout kept on purpose to tell how sure a model is.
    """
    noisy = [
        u
        for u in modes.uses
        if u.training and not u.grad and ((u.norms_in_training or 0) + (u.dropouts_in_training or 0))
    ]
    right = any(not u.training and not u.grad for u in modes.uses)
    train, other = (sum(c.calls for c in modes.calls if c.training and c.grad == grad) for grad in (True, False))
    if noisy and not right and 0 < other <= most * train:
        yield Finding(
            f"{other} calls without gradients, all with dropout or batch normalisation in training mode",
            where=tuple(u.where for u in noisy if u.where is not None)[:2],
        )
