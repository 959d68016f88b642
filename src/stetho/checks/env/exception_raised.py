from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash


@check(
    reads=Crash,
    root="traceback",
    background=0.02,
    fires={"a KeyError": {"exception": "KeyError", "message": "'lr'", "where": {"file": "train.py", "line": 3}}},
    quiet={"no exception": {"exception": "", "message": ""}},
)
def exception_raised(crash: Crash) -> Iterator[Finding]:
    """A traceback names the exception that ended the program.

    ## Why it matters
    The traceback itself is the evidence: exception, message and the user's line.

    ## False alarms
    Exceptions that the program caught and printed are not the end of it; the last one before the end counts.
    """
    if crash.exception:
        yield Finding(
            f"{crash.exception}: {crash.message}".rstrip(": "),
            where=(crash.where,) if crash.where else (),
        )
