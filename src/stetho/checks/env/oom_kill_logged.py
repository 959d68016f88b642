from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = (
    "oom-kill",
    "scheduler-oom",
)


@check(
    reads=Statements,
    root="words about host memory",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [{"phrase": "oom-kill", "text": "Out of memory: Killed process 4711 (python)", "line": 812}]
        }
    },
    quiet={
        "something else is said": {"said": [{"phrase": "checkpoint-saved", "text": "saving model.pt", "line": 3}]},
        "the program went on": {
            "said": [
                {
                    "phrase": "oom-kill",
                    "text": "Out of memory: Killed process 4711 (python)",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def oom_kill_logged(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The kernel or the scheduler says that a process was killed for memory.

    ## Why it matters
    The line is the proof: it names the process and what it held.

    ## False alarms
    A kill long before the end, of another program, is not counted; one near the end may still be of another program.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
