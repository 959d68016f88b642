from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("collective-mismatch",)


@check(
    reads=Statements,
    root="words about a collective",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "collective-mismatch",
                    "text": "Detected mismatch between collectives on ranks.",
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
                    "phrase": "collective-mismatch",
                    "text": "Detected mismatch between collectives on ranks.",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def collectives_differ(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The ranks called different collectives.

    ## Why it matters
    Ranks that take different branches wait for each other for ever.

    ## False alarms
    None known.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
