from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import PlainLoss
from stetho.stretching import joined, silently_stretched

MEETING = {"operation": "sub", "where": {"file": "train.py", "line": 41}, "looked_at": 6}
COLUMN = {**MEETING, "shape": [64, 1], "data_shape": [64], "result_shape": [64, 64]}


@check(
    reads=PlainLoss,
    root="loss-shapes",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={
        "a column minus a row": {"meetings": [COLUMN]},
        "a row minus a column": {
            "meetings": [{**MEETING, "shape": [64], "data_shape": [64, 1], "result_shape": [64, 64]}]
        },
        "weights of the samples": {
            "meetings": [
                {**MEETING, "operation": "mul", "shape": [64], "data_shape": [64, 1], "result_shape": [64, 64]}
            ]
        },
        "several targets": {
            "meetings": [{**MEETING, "shape": [32, 1, 5], "data_shape": [32, 5], "result_shape": [32, 32, 5]}]
        },
    },
    quiet={
        "shapes that fit": {"meetings": [{**MEETING, "shape": [64], "data_shape": [64], "result_shape": [64]}]},
        "quantiles of one number": {
            "meetings": [{**MEETING, "shape": [64, 5], "data_shape": [64, 1], "result_shape": [64, 5]}]
        },
        "distances of all pairs, written out": {
            "meetings": [{**MEETING, "shape": [64, 1, 2], "data_shape": [1, 64, 2], "result_shape": [64, 64, 2]}]
        },
        "distances to centres": {
            "meetings": [{**MEETING, "shape": [64, 1, 8], "data_shape": [10, 8], "result_shape": [64, 10, 8]}]
        },
        "a class by its number": {"meetings": [{**COLUMN, "operation": "gather"}]},
        "seen once": {"meetings": [{**COLUMN, "looked_at": 1}]},
    },
)
def plain_shapes_stretched(plain: PlainLoss, *, least: int = 2) -> Iterator[Finding]:
    """Outputs and targets of as many values in other shapes meet in a plain operation, and torch stretches both.

    ## Why it matters
    A column of 64 minus a row of 64 is a table of 64 by 64: every output is compared with the targets of the whole
    batch, and the best answer is the mean of them.

    ## False alarms
    Where one side alone is stretched, and where both have as many axes, as in distances of all pairs that somebody has
    written out, it is meant so.
    """
    for one in plain.meetings:
        result = joined(one.shape, one.data_shape)
        if one.operation == "gather" or one.looked_at < least or one.result_shape != result:
            continue
        if silently_stretched(one.shape, one.data_shape):
            yield Finding(
                f"{one.operation} at {one.where} is given {one.shape} and {one.data_shape}, and makes {result} of them",
                where=(one.where,) if one.where else (),
            )
