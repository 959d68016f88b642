import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(r"(CUDA|HIP|MPS|XPU).{0,20}out of memory|OutOfMemoryError|CUDNN_STATUS_ALLOC_FAILED", re.IGNORECASE)


@check(
    reads=Crash,
    root="exception about device memory",
    background=0.02,
    fires={
        "as torch says it": {
            "exception": "OutOfMemoryError",
            "message": "CUDA out of memory. Tried to allocate 2.00 GiB",
        }
    },
    quiet={"another exception": {"exception": "KeyError", "message": "lr"}},
)
def device_memory_exhausted(crash: Crash) -> Iterator[Finding]:
    """The accelerator ran out of memory.

    ## Why it matters
    The batch, the model and what autograd keeps do not fit together.

    ## False alarms
    Another process on the same device can take the memory.
    """
    if SAYS.search(f"{crash.exception}: {crash.message}"):
        yield Finding(
            f"device memory exhausted: {crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ()
        )
