from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {"function": "cross_entropy", "where": {"file": "train.py", "line": 40}, "looked_at": 12, "normalised": 0}


@check(
    reads=LossInputs,
    root="labels that are ignored",
    background=0.02,
    fires={"every one": {"sites": [{**SITE, "ignored": 1.0}]}},
    quiet={
        "padding only": {"sites": [{**SITE, "ignored": 0.6}]},
        "none": {"sites": [{**SITE, "ignored": 0.0}]},
        "not known": {"sites": [SITE]},
        "an evaluation": {"sites": [{**SITE, "ignored": 1.0, "trained": False}]},
    },
)
def labels_left_out(inputs: LossInputs, *, share: float = 0.999) -> Iterator[Finding]:
    """A loss that is trained on ignores every one of its targets.

    ## Why it matters
    There is nothing to learn from: the mean over no target is NaN, their sum is zero.

    ## False alarms
    Padding and prompts are ignored on purpose, and never all that there is.
    """
    for site in inputs.sites:
        if site.trained and site.ignored is not None and site.ignored >= share:
            yield Finding(
                f"{site.function} ignores {site.ignored:.0%} of its targets in {site.looked_at} calls",
                where=(site.where,) if site.where else (),
            )
