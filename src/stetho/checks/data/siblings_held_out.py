from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Siblings

TORN = {
    "trained": 913, "held_out": 272, "groups": 405, "largest": 6, "near": 0.57, "gap": 6.0, "with_training": 250,
    "of_training": 2.4,
}  # fmt: skip


@check(
    reads=Siblings,
    root="held-out-overlap",
    # Data in clusters is no rarity, and nothing is wrong with most of it.
    background=0.06,
    fires={"scans of one plant on both sides": TORN},
    quiet={
        "whole plants are held out": {**TORN, "with_training": 0},
        "a few on both sides": {**TORN, "with_training": 20},
        "one large group: a setting, not a thing": {**TORN, "largest": 400},
    },
)
def siblings_held_out(found: Siblings) -> Iterator[Finding]:
    """Held-out samples have near copies among the training samples, with a wide gap to all others.

    ## Why it matters
    Where both are of one thing, what is known of the one is asked again of the other.

    ## False alarms
    Samples that come in clusters by nature, such as settings of a machine, do so on both sides of every split. Only a
    column that says what is of one thing tells the two apart: `siblings-named`.
    """
    if torn(found):
        yield Finding(
            f"{found.with_training} of {found.held_out} held-out samples have near copies among the training samples, "
            f"{found.near:.3g} away where all others are {found.gap:.3g} away"
        )


def torn(found: Siblings, *, share: float = 0.25, least: int = 16) -> bool:
    """Whether many small groups of near copies are on both sides."""
    small = found.largest <= 0.1 * (found.trained + found.held_out)
    return small and found.with_training >= max(least, share * found.held_out)
