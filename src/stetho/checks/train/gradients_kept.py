from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import GradientReset


@check(
    reads=GradientReset,
    root="gradient-reset",
    background=0.02,
    fires={"never cleared": {"optimizer": "SGD", "steps": 199, "kept": 199}},
    quiet={
        "cleared each time": {"optimizer": "SGD", "steps": 199, "kept": 0},
        "once in a while": {"optimizer": "SGD", "steps": 199, "kept": 4},
        "too few steps": {"optimizer": "SGD", "steps": 2, "kept": 2},
    },
)
def gradients_kept(reset: GradientReset, *, least_steps: int = 5, share: float = 0.9) -> Iterator[Finding]:
    """The gradient that a step used is still there when the next backward adds to it.

    ## Why it matters
    Each step then follows the sum of all gradients so far, most of them out of date: it behaves like a
    momentum of one and ends in swings or divergence.

    ## False alarms
    Gradient accumulation clears after each step, not before each backward; that is seen as cleared.
    """
    if reset.steps >= least_steps and reset.kept >= share * reset.steps:
        places = tuple(p for p in (reset.backward_at, reset.step_at) if p)
        yield Finding(
            f"{reset.optimizer} stepped on gradients that still held the previous step's in {reset.kept} of "
            f"{reset.steps} steps",
            where=places,
        )
