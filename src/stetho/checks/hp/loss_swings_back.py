from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_oscillating import SWINGS, swings_back
from stetho.facts import LossSwings


@check(
    reads=LossSwings,
    # Steps that overshoot run up or swing: where one is seen, that the other is not says nothing.
    root="gradient-norms",
    given={"other/unlisted": 0.04},
    fires={"high after low": SWINGS},
    quiet={
        "noise": {**SWINGS, "against": -0.05},
        "calm": {**SWINGS, "swing": 0.05},
        "few points, opposed by chance": {**SWINGS, "points": 20, "against": -0.45},
    },
)
def loss_swings_back(swings: LossSwings) -> Iterator[Finding]:
    """A high loss is followed by a low one and a low one by a high one, for the whole run.

    ## Why it matters
    Noise has no memory. Steps that overshoot undo each other: what one wins the next one loses.

    ## False alarms
    Two batches in turn, one easy and one hard, of a data set that has only these.
    """
    if swings_back(swings):
        yield Finding(
            f"{swings.name} swings by {swings.swing:.0%} around {swings.level:.3g}; points {swings.lag} apart are "
            f"opposed (correlation {swings.against:.2f} over {swings.points} points)"
        )
