from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = (
    "time-limit",
    "preemption",
    "job-cancelled",
    "interrupted",
)


@check(
    reads=Statements,
    root="words about a signal",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "time-limit",
                    "text": "slurmstepd: error: *** JOB 4711 CANCELLED DUE TO TIME LIMIT ***",
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
                    "phrase": "time-limit",
                    "text": "slurmstepd: error: *** JOB 4711 CANCELLED DUE TO TIME LIMIT ***",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def ended_from_outside(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """A scheduler says that it ended the job, or a person did from the keyboard.

    ## Why it matters
    Nothing in the program needs to be mended; it needs more time, or to save more often.

    ## False alarms
    None known.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
