from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossSwings

SWINGS = {"name": "loss", "points": 150, "start": 2.3, "level": 2.4, "swing": 0.4, "against": -0.8, "lag": 1}


@check(
    reads=LossSwings,
    root="loss-swings",
    given={"other/unlisted": 0.04},
    fires={"high after low": SWINGS},
    quiet={"noise": {**SWINGS, "against": -0.05}, "calm": {**SWINGS, "swing": 0.05}},
)
def loss_swings_back(swings: LossSwings, *, opposed: float = 0.4, least: float = 0.25) -> Iterator[Finding]:
    """A high loss is followed by a low one and a low one by a high one, for the whole run.

    ## Why it matters
    Noise has no memory. Steps that overshoot undo each other: what one wins the next one loses.

    ## False alarms
    Two batches in turn, one easy and one hard, of a data set that has only these.
    """
    if swings.against < -opposed and swings.swing > least:
        yield Finding(
            f"{swings.name} swings by {swings.swing:.0%} around {swings.level:.3g}; points {swings.lag} apart are "
            f"opposed (correlation {swings.against:.2f} over {swings.points} points)"
        )
