import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(
    r"(CUDA|HIP|MPS|XPU).{0,20}out of memory|OutOfMemoryError(?!: Task was killed)|CU(DNN|BLAS)_STATUS_ALLOC_FAILED"
    r"|ResourceExhaustedError|RESOURCE_EXHAUSTED: Out of memory|Out of memory error on GPU",
    re.IGNORECASE,
)


@check(
    reads=Crash,
    root="exception about device memory",
    background=0.02,
    fires={
        "as torch says it": {
            "exception": "OutOfMemoryError",
            "message": "CUDA out of memory. Tried to allocate 2.00 GiB",
        },
        "as TensorFlow and Paddle say it": {"exception": "ResourceExhaustedError", "message": "Graph execution error:"},
        "as JAX says it": {
            "exception": "XlaRuntimeError",
            "message": "RESOURCE_EXHAUSTED: Out of memory allocating 4294967296 bytes.",
        },
        "as Paddle says it": {"exception": "OSError", "message": "(External) CUDA error(2), out of memory."},
    },
    quiet={
        "another exception": {"exception": "KeyError", "message": "lr"},
        "memory of the machine, as Ray says it": {
            "exception": "OutOfMemoryError",
            "message": "Task was killed due to the node running low on memory.",
        },
        "memory of the machine, as TensorFlow says it": {
            "exception": "ResourceExhaustedError",
            "message": "OOM when allocating tensor with shape[64,512] on /job:localhost/replica:0/task:0/device:CPU:0",
        },
    },
)
def device_memory_exhausted(crash: Crash) -> Iterator[Finding]:
    """The accelerator ran out of memory.

    ## Why it matters
    The batch, the model and what autograd keeps do not fit together.

    ## False alarms
    Another process on the same device can take the memory.
    """
    said = f"{crash.exception}: {crash.message}"
    if SAYS.search(said) and "device:CPU" not in said:
        yield Finding(
            f"device memory exhausted: {crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ()
        )
