from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RunEnd


@check(
    reads=RunEnd,
    root="run-end",
    severity=95,
    fires={"by the kernel": {"code": None, "signal": "SIGKILL", "steps": 12}},
    quiet={"ended by itself": {"code": 0, "steps": 300}, "an error code": {"code": 1}},
)
def killed(end: RunEnd) -> Iterator[Finding]:
    """The program was ended by a signal.

    ## Why it matters
    It did not stop by its own decision: memory, a time limit, a fault in native code, or a person.

    ## False alarms
    A run that stetho itself stopped at its bound is not counted.
    """
    if end.signal and end.stopped_by is None:
        yield Finding(f"the program was ended by {end.signal} after {end.steps} steps", step=end.steps)
