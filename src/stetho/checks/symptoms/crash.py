from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RunEnd


@check(
    reads=RunEnd,
    root="run-end",
    severity=100,
    fires={
        "exit code 1": {"code": 1, "steps": 3},
        "a log that ends with an exception": {"code": 1, "steps": 0, "inferred": True},
    },
    quiet={
        "ended by itself": {"code": 0, "steps": 300},
        "stopped at its bound": {"code": None, "steps": 300, "stopped_by": "time"},
        "killed is not a crash": {"code": None, "signal": "SIGKILL", "steps": 3},
    },
)
def crash(end: RunEnd) -> Iterator[Finding]:
    """The program ended with an error code.

    ## Why it matters
    Whatever it had learned since the last checkpoint is gone.

    ## False alarms
    Programs that use exit codes for something else.
    """
    if end.code and end.stopped_by is None:
        when = f"after {end.steps} steps" if end.steps else "before any step was seen"
        what = "the log ends with an error" if end.inferred else f"the program ended with code {end.code}"
        yield Finding(f"{what}, {when}", step=end.steps)
