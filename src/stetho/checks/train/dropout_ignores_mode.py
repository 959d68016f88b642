from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import DroppedInEvaluation

LINE = {"file": "model.py", "line": 31}


@check(
    reads=DroppedInEvaluation,
    root="mode-of-evaluation",
    background=0.01,
    fires={"a function that does not ask for the mode": {"shares": [0.5], "places": [LINE], "looked_at": 1}},
    quiet={"nothing is dropped": {"shares": [], "places": [], "looked_at": 1}},
)
def dropout_ignores_mode(dropped: DroppedInEvaluation) -> Iterator[Finding]:
    """A model is in evaluation mode, and a part of its numbers is dropped at random all the same.

    ## Why it matters
    `F.dropout` drops unless it is told `training=False`, and attention drops what its `dropout_p` says: neither asks
    for the mode of the module that calls it. Held-out answers are worse than they are.

    ## False alarms
    Dropout kept on purpose, to tell how sure a model is by calling it many times.
    """
    if dropped.shares:
        yield Finding(
            f"{max(dropped.shares):.0%} of the numbers are dropped while the model is evaluated in evaluation mode",
            where=dropped.places[:2],
        )
