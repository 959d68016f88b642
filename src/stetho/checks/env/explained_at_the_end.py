from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

EXPLAINS = (
    "oom-kill", "scheduler-oom", "host-memory-refused", "shared-memory-short", "time-limit", "preemption",
    "job-cancelled", "interrupted", "gpu-fault", "collective-timeout", "collective-mismatch", "storage-error",
    "storage-not-responding", "checkpoint-unreadable", "versions-do-not-fit", "device-out-of-memory", "disk-full",
    "worker-process-died",
)  # fmt: skip
FULL = {"phrase": "disk-full", "text": "OSError: [Errno 28] No space left on device", "line": 812}


@check(
    reads=Statements,
    root="the last words",
    background=0.02,
    given={"other/unlisted": 0.05, "env/exception": 0.02},
    fires={"a full disk": {"said": [FULL]}},
    quiet={
        "said, and then it went on": {"said": [{**FULL, "lines_after": 40}]},
        "last words that explain nothing": {"said": [{"phrase": "launcher-failed", "text": "exit 1", "line": 3}]},
        "nothing is said": {"said": []},
    },
)
def explained_at_the_end(statements: Statements, *, most_after: int = 3) -> Iterator[Finding]:
    """The log ends with words that explain its end.

    ## Why it matters
    What is said last is what ended it; an exception that such words explain is no ordinary one.

    ## False alarms
    A launcher can repeat the words of one rank after another has failed for another reason.
    """
    for one in statements.of(*EXPLAINS):
        if one.lines_after <= most_after:
            yield Finding(f"the last words: {one.last_text or one.text}")
            return
