from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash, RunEnd
from stetho.text.fatal import FATAL_ERROR

ERROR = {"exception": "KeyError", "message": "'lr'", "where": {"file": "train.py", "line": 3}}


@check(
    reads=(Crash, RunEnd),
    root="traceback",
    background=0.02,
    given={
        # An ordinary exception has a name of its own.
        "other/unlisted": 0.04,
        # Where numbers go wrong a program may look and raise; what it says then tells the two apart.
        "num/log-of-zero": 0.9,
        "num/sqrt-at-zero": 0.9,
        "num/division-by-zero": 0.9,
        "num/overflow": 0.9,
        "num/half-precision": 0.9,
        "num/exploding-gradients": 0.9,
        "data/nonfinite-values": 0.9,
        "dist/one-rank-nonfinite": 0.9,
        "hp/lr-too-high": 0.9,
        "hp/no-warmup": 0.9,
        "data/inputs-unnormalized": 0.9,
    },
    fires={
        "a KeyError": {"crash": ERROR, "run-end": {"code": 1}},
        "a message of many lines": {"crash": {**ERROR, "lines_after": 12}, "run-end": {"code": 1}},
    },
    quiet={
        "caught, and the program ended well": {"crash": ERROR, "run-end": {"code": 0}},
        "a fault in native code": {"crash": {**ERROR, "exception": FATAL_ERROR}, "run-end": {"code": 1}},
    },
)
def exception_raised(crash: Crash, end: RunEnd) -> Iterator[Finding]:
    """A traceback names the exception that ended the program.

    ## Why it matters
    The traceback itself is the evidence: exception, message and the user's line.

    ## False alarms
    Exceptions that the program caught and printed are not the end of it; the last one before the end counts.
    """
    if crash.exception and crash.exception != FATAL_ERROR and end.code:
        yield Finding(
            f"{crash.exception}: {crash.message}".rstrip(": "),
            where=(crash.where,) if crash.where else (),
        )
