from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash, RunEnd

ERROR = {"exception": "KeyError", "message": "'lr'", "where": {"file": "train.py", "line": 3}}


@check(
    reads=(Crash, RunEnd),
    root="traceback",
    background=0.02,
    # An ordinary exception has a name of its own.
    given={"other/unlisted": 0.04},
    fires={
        "a KeyError": {"crash": ERROR, "run-end": {"code": 1}},
        "a message of many lines": {"crash": {**ERROR, "lines_after": 12}, "run-end": {"code": 1}},
    },
    quiet={"caught, and the program ended well": {"crash": ERROR, "run-end": {"code": 0}}},
)
def exception_raised(crash: Crash, end: RunEnd) -> Iterator[Finding]:
    """A traceback names the exception that ended the program.

    ## Why it matters
    The traceback itself is the evidence: exception, message and the user's line.

    ## False alarms
    Exceptions that the program caught and printed are not the end of it; the last one before the end counts.
    """
    if crash.exception and end.code:
        yield Finding(
            f"{crash.exception}: {crash.message}".rstrip(": "),
            where=(crash.where,) if crash.where else (),
        )
