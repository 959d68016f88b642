from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash, RunEnd
from stetho.text.fatal import FATAL_ERROR

FAULT = {"exception": FATAL_ERROR, "message": "Segmentation fault", "where": {"file": "train.py", "line": 7}}


@check(
    reads=(Crash, RunEnd),
    root="traceback",
    background=0.02,
    given={
        # What went wrong in native code, Python cannot tell.
        "other/unlisted": 0.3,
        "env/version-mismatch": 0.5,
        "env/gpu-fault": 0.3,
        "env/worker-crash": 0.2,
        "env/hang": 0.4,
        "dist/collective-mismatch": 0.4,
    },
    fires={"a segmentation fault": {"crash": FAULT, "run-end": {"code": 1, "inferred": True}}},
    quiet={
        "an exception": {"crash": {**FAULT, "exception": "KeyError", "message": "'lr'"}, "run-end": {"code": 1}},
        "a child's, and the program went on": {"crash": FAULT, "run-end": {"code": 0}},
    },
)
def native_fault(crash: Crash, end: RunEnd) -> Iterator[Finding]:
    """Python wrote that it cannot go on, and where it stood.

    ## Why it matters
    Native code failed, so there is no exception; the line that called it is where to look.

    ## False alarms
    A child that fails in this way while its parent goes on is not counted.
    """
    if crash.exception == FATAL_ERROR and (end.code or end.signal):
        yield Finding(f"{crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ())
