from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0,
    "sequences": 1,
}  # fmt: skip


@check(
    reads=LossInputs,
    root="targets against tokens",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "shifted twice": {"sites": [{**SITE, "shifts": [0.1, 0.12, 1.0, 0.1]}]},
        "shifted in the data and in the model": {"sites": [{**SITE, "shifts": [0.1, 0.3, 0.99, 0.2], "sequences": 2}]},
        "the same, and the labels are given to the model": {
            "sites": [{**SITE, "shifts": [0.1, 1.0, 1.0, 0.1], "own_shifts": [0.1, 0.1, 1.0, 0.1], "sequences": 2}]
        },
        "not shifted": {"sites": [{**SITE, "shifts": [1.0, 0.12, 0.1, 0.1]}]},
    },
    quiet={
        "the next token": {"sites": [{**SITE, "shifts": [0.1, 1.0, 0.1, 0.1]}]},
        "another sequence": {"sites": [{**SITE, "shifts": [0.1, 0.12, 0.1, 0.1]}]},
        "some tokens are hidden and asked for": {"sites": [{**SITE, "shifts": [0.85, 0.1, 0.1, 0.1]}]},
        "translated from a copy": {"sites": [{**SITE, "shifts": [1.0, 0.12, 0.1, 0.1], "sequences": 2}]},
        "a copy is written anew, and the decoder is given what came before": {
            "sites": [{**SITE, "shifts": [1.0, 1.0, 0.1, 0.1], "own_shifts": [1.0, 0.1, 0.1, 0.1], "sequences": 2}]
        },
        "repeats itself": {"sites": [{**SITE, "shifts": [1.0, 1.0, 1.0, 1.0]}]},
        "several heads look several tokens ahead": {
            "sites": [{**SITE, "shifts": [0.1, 1.0, 0.1, 0.1]}, {**SITE, "shifts": [0.1, 0.1, 1.0, 0.1]}]
        },
    },
)
def targets_not_next(losses: LossInputs, *, least: int = 3, alike: float = 0.98) -> Iterator[Finding]:
    """The targets are the tokens that the model is given, at the same position or two ahead, and never the next ones.

    ## Why it matters
    A model of sequences is asked for the next token. The token itself is in its input, so that it learns to copy; the
    one after the next can only be guessed.

    ## False alarms
    A model that hides some tokens and asks for them, or that is given two sequences, has targets at the same position
    by right. One that looks several tokens ahead has the next among them, and is left alone.
    """
    told = [s for s in losses.sites if s.trained and s.looked_at >= least and len(s.shifts) >= 3]
    if any(((s.own_shifts or s.shifts)[1] or 0.0) >= 0.9 for s in told):
        return
    for site in told:
        same, following, _ = (share or 0.0 for share in site.shifts[:3])
        beyond = (site.own_shifts or site.shifts)[2] or 0.0
        # What another tensor holds of the next ones may be the labels themselves, or what a decoder is given.
        same = 0.0 if following >= 0.9 else same
        if beyond >= alike or (same >= alike and site.sequences == 1):
            what = "two tokens ahead of" if beyond >= alike else "the very tokens of"
            yield Finding(
                f"{max(same, beyond):.0%} of the targets of {site.function} at {site.where} are {what} the input",
                where=(site.where,) if site.where else (),
            )
