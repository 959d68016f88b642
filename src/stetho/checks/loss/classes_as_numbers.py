from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import PlainLoss

MEETING = {
    "operation": "sub", "where": {"file": "train.py", "line": 41}, "looked_at": 6, "shape": [64], "data_shape": [64],
    "result_shape": [64], "whole": True, "data_low": 0.0, "data_high": 9.0,
}  # fmt: skip
REDUCED = ("max", "amax", "argmax", "topk")


@check(
    reads=PlainLoss,
    root="loss-targets",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={"the largest score minus the class": {"meetings": [{**MEETING, "made_by": "max"}]}},
    quiet={
        "counts": {"meetings": [{**MEETING, "made_by": "linear"}]},
        "the best value of the next state": {"meetings": [{**MEETING, "made_by": "max", "whole": False}]},
        "a margin to a fixed level": {"meetings": [{**MEETING, "made_by": "max", "data_low": 1.0, "data_high": 1.0}]},
        "rewards of nothing and one": {"meetings": [{**MEETING, "made_by": "max", "data_high": 1.0}]},
    },
)
def classes_as_numbers(plain: PlainLoss, *, least: int = 2) -> Iterator[Finding]:
    """The largest of several scores is compared with the number of the class.

    ## Why it matters
    Which score is the largest is the answer; how large it is says nothing of the class. Fitting it to the number of the
    class leaves no reason for the right score to be the largest.

    ## False alarms
    Values of actions are maximised, too, and compared with rewards; those are no whole numbers from zero to many.
    """
    for one in plain.meetings:
        several = one.data_low is not None and one.data_high is not None and one.data_low >= 0 and one.data_high >= 2
        if one.operation == "sub" and one.looked_at >= least and one.made_by in REDUCED and one.whole and several:
            yield Finding(
                f"the largest score meets whole numbers from {one.data_low:g} to {one.data_high:g}, {one.where}",
                where=(one.where,) if one.where else (),
            )
