"""The accelerator has no memory left.

## What it tells
How much was asked for and how much was free.

## What it does not tell
What took it; another process on the same device may have.
"""

from stetho.phrase import Phrase

device_out_of_memory = Phrase(
    id="device-out-of-memory",
    says="the accelerator is out of memory",
    words=(
        "out of memory",
        "outofmemoryerror",
        "alloc_failed",
        "resource_exhausted",
        "oom when",
        "failed to allocate",
    ),
    patterns=(
        r"(?:CUDA|HIP|MPS backend|XPU) (?:error: )?out of memory",
        r"OutOfMemoryError",
        r"CU(?:DNN|BLAS)_STATUS_ALLOC_FAILED",
        r"RESOURCE_EXHAUSTED: (?:Out of memory|.{0,60}[Oo]ut of memory)",
        r"OOM when allocating tensor",
        r"failed to allocate .{0,40} on device",
    ),
    fires=(
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity o"
            "f 79.15 GiB"
        ),
        "RuntimeError: CUDA error: out of memory",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        (
            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 429"
            "4967296 bytes."
        ),
        "OOM when allocating tensor with shape[64,512] and type float on /job:localhost",
    ),
    quiet=(
        "Out of memory: Killed process 4711 (python)",
        "max memory allocated: 12.3 GiB",
    ),
    ended="error",
)
