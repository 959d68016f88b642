from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("checkpoint-unreadable",)


@check(
    reads=Statements,
    # A file that is broken was loaded, or is what the run left: one of the two is seen, and not the other.
    root="state of the checkpoints",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "checkpoint-unreadable",
                    "text": "RuntimeError: PytorchStreamReader failed reading zip archive",
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
                    "phrase": "checkpoint-unreadable",
                    "text": "RuntimeError: PytorchStreamReader failed reading zip archive",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def saved_file_unreadable(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """A checkpoint or another saved file could not be read.

    ## Why it matters
    It was cut while being written, copied badly, or is of another format.

    ## False alarms
    A file that never was a checkpoint, as a page of an error, gives the same words.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
