from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

KILLED = ("process-killed", "terminated")
EXPLAINED = (
    "oom-kill",
    "scheduler-oom",
    "time-limit",
    "preemption",
    "job-cancelled",
    "collective-timeout",
    "gpu-fault",
)
SAID = {"phrase": "process-killed", "text": "Killed", "line": 812}


@check(
    reads=Statements,
    root="words about a signal",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={"one word": {"said": [SAID]}},
    quiet={
        "the kernel says why": {
            "said": [SAID, {"phrase": "oom-kill", "text": "Out of memory: Killed process 4711", "line": 3}]
        },
        "the program went on": {"said": [{**SAID, "lines_after": 5000}]},
        "something else is said": {"said": [{"phrase": "checkpoint-saved", "text": "saving model.pt", "line": 3}]},
    },
)
def killed_unexplained(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """A process was killed or terminated, and the log does not say by whom.

    ## Why it matters
    Memory is the usual reason for SIGKILL, and only the kernel's or the scheduler's own log can say so.

    ## False alarms
    A launcher kills the remaining ranks after one has failed.
    """
    if statements.of(*EXPLAINED):
        return
    for one in statements.of(*KILLED):
        if one.lines_after <= most_after:
            yield Finding(f"{one.told}; nothing says by whom")
            return
