from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RankSamples

ALIKE = {
    "ranks": [0, 1], "steps": 40, "same": 40, "different": 40, "losses": 200, "losses_same": 200,
    "losses_different": 199,
}  # fmt: skip


@check(
    reads=RankSamples,
    root="samples of the ranks",
    background=0.01,
    given={"dist/same-data": 0.93, "none/healthy": 0.01, "other/unlisted": 0.02},
    fires={"in every step": ALIKE},
    quiet={
        "each its own": {**ALIKE, "losses_same": 0},
        "a loss that does not change": {**ALIKE, "losses_different": 1},
        "now and then": {**ALIKE, "losses_same": 30},
        "too few": {**ALIKE, "losses": 5, "losses_same": 5, "losses_different": 5},
    },
)
def ranks_lose_alike(samples: RankSamples, *, least: int = 10) -> Iterator[Finding]:
    """All ranks have the same loss in every step, to the last digit.

    ## Why it matters
    Ranks with samples of their own never agree so well: they compute the same thing.

    ## False alarms
    Programs that average the loss over all ranks before backward.
    """
    if samples.losses >= least and samples.losses_same == samples.losses and samples.losses_different >= least:
        yield Finding(f"{len(samples.ranks)} ranks have the same loss in all {samples.losses} steps compared")
