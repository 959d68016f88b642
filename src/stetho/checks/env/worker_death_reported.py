from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("worker-process-died",)


@check(
    reads=Statements,
    root="exception about worker",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "worker-process-died",
                    "text": "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.",
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
                    "phrase": "worker-process-died",
                    "text": "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def worker_death_reported(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The log says that a loader worker died.

    ## Why it matters
    The error that killed it is often above this one in the output: memory, shared memory, or a fault in native code.

    ## False alarms
    None known.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
