import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(r"No space left on device|Disk quota exceeded|Errno 28|Errno 122", re.IGNORECASE)


@check(
    reads=Crash,
    root="exception about disk",
    background=0.02,
    fires={"as torch says it": {"exception": "OSError", "message": "[Errno 28] No space left on device"}},
    quiet={"another exception": {"exception": "KeyError", "message": "lr"}},
)
def disk_full_reported(crash: Crash) -> Iterator[Finding]:
    """A write failed because no space or quota is left.

    ## Why it matters
    Checkpoints and logs cannot be written; a truncated checkpoint may be left behind.

    ## False alarms
    Shared memory that is full gives the same words.
    """
    if SAYS.search(f"{crash.exception}: {crash.message}"):
        yield Finding(f"no space left: {crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ())
