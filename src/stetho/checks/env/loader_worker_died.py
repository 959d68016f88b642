import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(r"DataLoader worker.{0,40}(killed|exited unexpectedly)", re.IGNORECASE)


@check(
    reads=Crash,
    root="exception about worker",
    background=0.02,
    fires={
        "as torch says it": {
            "exception": "RuntimeError",
            "message": "DataLoader worker (pid 4711) is killed by signal: Killed.",
        }
    },
    quiet={"another exception": {"exception": "KeyError", "message": "lr"}},
)
def loader_worker_died(crash: Crash) -> Iterator[Finding]:
    """A loader worker process died.

    ## Why it matters
    The error that killed it is often above this one in the output: memory, shared memory, or a fault in native code.

    ## False alarms
    None known.
    """
    if SAYS.search(f"{crash.exception}: {crash.message}"):
        yield Finding(
            f"a loader worker died: {crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ()
        )
