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
        "out of gpu memory",
        "cuda_error_out_of_memory",
        "out of memory",
        "outofmemoryerror",
        "alloc_failed",
        "resource_exhausted",
        "oom when",
        "failed to allocate",
    ),
    patterns=(
        r"Out of GPU memory trying to allocate",
        r"NPU out of memory",
        r"CUDA_ERROR_OUT_OF_MEMORY",
        r"(?i:cuda error ?\(0\),? out of memory)",
        r"(?i:out of memory error on gpu 0)",
        r"(?i:(?:CUDA|HIP|MPS backend|XPU) (?:error: )?out of memory)",
        r"(?<!ray\.exceptions\.)OutOfMemoryError",
        r"CU(?:DNN|BLAS)_STATUS_ALLOC_FAILED",
        r"RESOURCE_EXHAUSTED: (?:Out of memory|.{0,60}[Oo]ut of memory)",
        r"OOM when allocating tensor(?!.*device:CPU)",
        r"failed to allocate .{0,40} on device",
    ),
    fires=(
        "ERROR: LoadError: Out of GPU memory trying to allocate 2.000 GiB",
        "RuntimeError: HIP error: out of memory",
        "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB",
        (
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:924] failed to allocate 17.79G (19104890880 bytes) "
            "from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory"
        ),
        "OSError: (External) CUDA error(2), out of memory.",
        (
            "Out of memory error on GPU 0. Cannot allocate 1.220703GB memory on GPU 0, 23.402283GB memory has "
            "been allocated"
        ),
        "[LightGBM] [Fatal] CUDA Error: out of memory",
        "torch.OutOfMemoryError: HIP out of memory.",
        "failed to allocate 2.0 GiB on device 0",
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
        "OOM when allocating tensor with shape[64,512] and type float on /job:localhost/task:0/device:CPU:0",
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
        "CUDA error (0 so far), none about memory",
        "Out of memory: Killed process 4711 (python)",
        "max memory allocated: 12.3 GiB",
    ),
    ended="error",
)
