from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0,
    "reduction": "mean", "shifts": [0.1, 1.0, 0.1, 0.1],
}  # fmt: skip
PADDED = {**SITE, "tail": 0, "tail_counted": 0.6, "tail_lengths": 14, "tail_inside": 0.0}
INSIDE = {**PADDED, "tail_inside": 0.14, "tail_lengths": 18, "tail_counted": 0.87}


@check(
    reads=LossInputs,
    root="padding in targets",
    background=0.02,
    given={"other/unlisted": 0.03},
    fires={
        "ends of zeros": {"sites": [PADDED]},
        "series of numbers": {"sites": [{**PADDED, "function": "mse_loss", "shifts": [], "tail": 0.0}]},
        "ends of a label that others have, where the input is filled up": {
            "sites": [{**INSIDE, "filled": 0.86, "filled_with": 0, "filled_lengths": 18}],
        },
    },
    quiet={
        "a label that many sequences end in, with inputs of their own": {"sites": [INSIDE]},
        "few places are filled up": {"sites": [{**INSIDE, "filled": 0.05, "filled_with": 0, "filled_lengths": 6}]},
        "left out": {"sites": [{**PADDED, "tail_counted": 0.0}]},
        "every sequence is as long": {"sites": [{**PADDED, "tail_lengths": 1}]},
        "a token like the others": {"sites": [{**PADDED, "tail_inside": 0.1}]},
        "weighed afterwards": {"sites": [{**PADDED, "reduction": "none"}]},
        "one token says the end": {"sites": [{**PADDED, "tail_counted": 0.06}]},
        "no ends": {"sites": [SITE]},
    },
)
def padding_trained_on(losses: LossInputs, *, least: int = 3, share: float = 0.15) -> Iterator[Finding]:
    """Sequences end in one token or number again and again, in different lengths, and the loss counts it.

    ## Why it matters
    Padding is easy to foretell and there is much of it: the loss falls by learning to go on padding, and the positions
    that matter have the smaller part in it.

    ## False alarms
    One token that says that the sequence ends is learned by right. A label that many sequences end in is none, unless
    the input is filled up there with a token that occurs nowhere else. Losses that are not reduced may be weighed
    afterwards, and are left alone.
    """
    for site in losses.sites:
        counted, lengths, inside = site.tail_counted or 0.0, site.tail_lengths or 0, site.tail_inside or 0.0
        if not site.trained or site.looked_at < least or site.reduction == "none" or site.tail is None:
            continue
        if counted >= share and lengths >= 3 and inside < 0.02:
            yield Finding(
                f"{counted:.0%} of the targets of {site.function} at {site.where} are ends of sequences filled with "
                f"{site.tail:g}, of {lengths} different lengths",
                where=(site.where,) if site.where else (),
            )
        elif (site.filled or 0.0) >= share and (site.filled_lengths or 0) >= 3:
            yield Finding(
                f"{site.filled:.0%} of the targets of {site.function} at {site.where} stand where the input is filled "
                f"up with one token, and are all {site.filled_with}; these ends have {site.filled_lengths} different "
                "lengths",
                where=(site.where,) if site.where else (),
            )
