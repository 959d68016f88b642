from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = (
    "storage-error",
    "storage-not-responding",
)


@check(
    reads=Statements,
    root="words about storage",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "storage-error",
                    "text": "OSError: [Errno 5] Input/output error: '/data/train.bin'",
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
                    "phrase": "storage-error",
                    "text": "OSError: [Errno 5] Input/output error: '/data/train.bin'",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def storage_failed(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """Storage does not answer or reports an error.

    ## Why it matters
    Data that cannot be read stops the training or makes it wait.

    ## False alarms
    A server that answers again after a while is not counted when the program went on.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
