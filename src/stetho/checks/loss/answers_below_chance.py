from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInput, LossInputs

SITE = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 41}, "looked_at": 20, "normalised": 0,
    "classes": 5, "target_shape": [64],
}  # fmt: skip


@check(
    reads=LossInputs,
    root="answers against chance",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={"fewer and fewer right": {"sites": [{**SITE, "accuracy_first": 0.19, "accuracy_last": 0.01}]}},
    quiet={
        "learns": {"sites": [{**SITE, "accuracy_first": 0.2, "accuracy_last": 0.8}]},
        "one class of several": {"sites": [{**SITE, "accuracy_first": 0.2, "accuracy_last": 0.18}]},
        "a rare class is all there is": {"sites": [{**SITE, "accuracy_first": 0.02, "accuracy_last": 0.01}]},
        "too many classes to tell": {
            "sites": [{**SITE, "classes": 1000, "accuracy_first": 0.002, "accuracy_last": 0.0}]
        },
        "few answers": {"sites": [{**SITE, "target_shape": [2], "accuracy_first": 0.3, "accuracy_last": 0.0}]},
        "many possible labels": {
            "sites": [
                {
                    **SITE, "function": "binary_cross_entropy_with_logits", "classes": None,
                    "accuracy_first": 0.5, "accuracy_last": 0.3,
                }
            ]
        },
    },
)  # fmt: skip
def answers_below_chance(losses: LossInputs) -> Iterator[Finding]:
    """Training makes the answers on its own batches far worse than guessing.

    ## Why it matters
    A model that learns nothing guesses; one that is right far less often has learned to be wrong.

    ## False alarms
    Few answers, or more classes than answers, allow no judgement. A model that begins below chance is left alone, as
    its batches may hold what it never answers.
    """
    for site in losses.sites:
        if site.trained and below(site):
            yield Finding(
                f"{site.accuracy_last:.0%} of the answers are right at the end, {site.accuracy_first:.0%} at first; "
                f"guessing one of {site.classes} classes gives {1 / (site.classes or 2):.0%}",
                where=(site.where,) if site.where else (),
            )


def below(site: LossInput, *, least: float = 20.0) -> bool:
    """Whether so many answers would hardly be so wrong by chance."""
    first, last, classes = site.accuracy_first, site.accuracy_last, site.classes
    if first is None or last is None or classes is None or classes < 2:
        return False
    count = min(5, site.looked_at)
    for length in site.target_shape or ():
        count *= length
    chance = 1 / classes
    return count * chance >= least and last < 0.35 * chance and first > 0.5 * chance and last < 0.5 * first
