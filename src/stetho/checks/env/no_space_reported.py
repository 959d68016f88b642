from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("disk-full",)


@check(
    reads=Statements,
    root="exception about disk",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [{"phrase": "disk-full", "text": "OSError: [Errno 28] No space left on device", "line": 812}]
        }
    },
    quiet={
        "something else is said": {"said": [{"phrase": "checkpoint-saved", "text": "saving model.pt", "line": 3}]},
        "the program went on": {
            "said": [
                {
                    "phrase": "disk-full",
                    "text": "OSError: [Errno 28] No space left on device",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def no_space_reported(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The log says that no space or quota is left.

    ## Why it matters
    Checkpoints and logs cannot be written; a truncated checkpoint may be left behind.

    ## False alarms
    Shared memory that is full gives the same words.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
