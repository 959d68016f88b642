from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("versions-do-not-fit",)


@check(
    reads=Statements,
    root="words about versions",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "versions-do-not-fit",
                    "text": "RuntimeError: operator torchvision::nms does not exist",
                    "line": 812,
                }
            ]
        }
    },
    quiet={
        "something else is said": {"said": [{"phrase": "checkpoint-saved", "text": "saving model.pt", "line": 3}]},
        "the program went on": {
            "said": [
                {
                    "phrase": "versions-do-not-fit",
                    "text": "RuntimeError: operator torchvision::nms does not exist",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def versions_misfit(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """Libraries, a driver or a device do not fit together.

    ## Why it matters
    No change of the program cures it; one of the two must be changed.

    ## False alarms
    A warning of this kind early in a log that goes on is not counted.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
