"""The operating system refused memory to the program.

## What it tells
That the machine, a container or a limit (ulimit) had no more to give.

## What it does not tell
What took it.
"""

from stetho.phrase import Phrase

host_memory_refused = Phrase(
    id="host-memory-refused",
    says="the machine refused memory",
    words=(
        "oom when allocating",
        "memoryerror",
        "cannot allocate memory",
        "can't allocate memory",
        "bad_alloc",
        "unable to allocate",
    ),
    patterns=(
        r"OOM when allocating tensor.*device:CPU",
        r"^(?:numpy\S*)?MemoryError",
        r"[Cc]annot allocate memory",
        r"can't allocate memory",
        r"std::bad_alloc",
        r"Unable to allocate \S+ [KMGT]iB for an array",
        r"ArrayMemoryError",
    ),
    fires=(
        "OOM when allocating tensor with shape[64,512] and type float on /job:localhost/task:0/device:CPU:0",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        (
            "RuntimeError: [enforce fail at alloc_cpu.cpp:75] . DefaultCPUAllocator: can't allocate memory: you t"
            "ried to allocate 68719476736 bytes."
        ),
        "OSError: [Errno 12] Cannot allocate memory",
        "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 29.8 GiB for an array with shape (4000000000,)",
        "MemoryError",
    ),
    quiet=("allocating memory for the replay buffer",),
    ended="error",
)
