from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs
from stetho.stretching import joined, silently_stretched

SITE = {"function": "mse_loss", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0}
COLUMN = {**SITE, "shape": [64, 1], "target_shape": [64], "broadcast": 12}


@check(
    reads=LossInputs,
    root="loss-shapes",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={
        "a column beside a row": {"sites": [COLUMN]},
        "a row beside a column": {"sites": [{**SITE, "shape": [64], "target_shape": [64, 1], "broadcast": 12}]},
        "several targets": {"sites": [{**SITE, "shape": [32, 1, 5], "target_shape": [32, 5], "broadcast": 12}]},
    },
    quiet={
        "shapes that fit": {"sites": [{**SITE, "shape": [64, 1], "target_shape": [64, 1], "broadcast": 0}]},
        "one target for all": {"sites": [{**SITE, "shape": [64, 3], "target_shape": [3], "broadcast": 12}]},
        "classes by number": {
            "sites": [{**SITE, "function": "cross_entropy", "shape": [64, 10], "target_shape": [64], "broadcast": 0}]
        },
        "quantiles of one number": {"sites": [{**SITE, "shape": [64, 5], "target_shape": [64, 1], "broadcast": 12}]},
        "only while evaluating": {"sites": [{**COLUMN, "trained": False}]},
    },
)
def shapes_stretched(losses: LossInputs) -> Iterator[Finding]:
    """A loss is given outputs and targets of as many values in other shapes, and torch stretches both.

    ## Why it matters
    (64, 1) beside (64,) becomes (64, 64): every output is compared with the targets of the whole batch, and the best
    answer is the mean of them.

    ## False alarms
    Where one side alone is stretched, as with one target for all samples, it is meant so.
    """
    for site in losses.sites:
        shape, other = site.shape or (), site.target_shape or ()
        if site.trained and 2 * (site.broadcast or 0) > site.looked_at and silently_stretched(shape, other):
            yield Finding(
                f"{site.function} at {site.where} is given {shape} and {other}, and compares {joined(shape, other)}",
                where=(site.where,) if site.where else (),
            )
