from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("collective-timeout",)


@check(
    reads=Statements,
    root="words about a collective",
    background=0.02,
    given={"other/unlisted": 0.03},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "collective-timeout",
                    "text": "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=42)",
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
                    "phrase": "collective-timeout",
                    "text": "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=42)",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def collective_timed_out(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """A collective operation did not end in its time.

    ## Why it matters
    One rank waited for another that did not come: it hung, died, or called something else.

    ## False alarms
    A very slow step, as the first evaluation or a large checkpoint, can outlast a short timeout.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
