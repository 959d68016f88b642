from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RunEnd, ThreadFailure

FAILED = {
    "thread": "Thread-1 (train)", "exception": "KeyError", "message": "'lr'", "own": True,
    "where": {"file": "train.py", "line": 3},
}  # fmt: skip
UNTOLD = {"code": None, "stopped_by": "the end of what was read"}


@check(
    reads=(ThreadFailure, RunEnd),
    root="a thread's traceback",
    background=0.02,
    fires={"the program's own code, and nothing after it": {"thread-failure": FAILED, "run-end": UNTOLD}},
    quiet={
        "the program ended well": {"thread-failure": FAILED, "run-end": {"code": 0}},
        "a library's thread on its way out": {"thread-failure": {**FAILED, "own": False}, "run-end": UNTOLD},
    },
)
def thread_failed(failure: ThreadFailure, end: RunEnd) -> Iterator[Finding]:
    """An exception ended a thread of the program's own, and nothing was logged after it.

    ## Why it matters
    Where the training ran in that thread, it ended there; where it did not, the program went on without it.

    ## False alarms
    A thread that fails on the way out, when all is done. Such an exception alone proves nothing.
    """
    if failure.own and end.code != 0:
        yield Finding(
            f"thread {failure.thread} ended: {failure.exception}: {failure.message}".rstrip(": "),
            where=(failure.where,) if failure.where else (),
        )
