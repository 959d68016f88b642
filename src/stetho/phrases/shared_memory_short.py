"""Shared memory is too small for what loader workers pass to the training process.

## What it tells
That /dev/shm, in a container often 64 MB, is the limit.

## What it does not tell
How much would be enough.
"""

from stetho.phrase import Phrase

shared_memory_short = Phrase(
    id="shared-memory-short",
    says="shared memory is too small",
    words=(
        "shared memory",
        "/dev/shm",
        "unable to open shared memory",
        "shm",
    ),
    patterns=(
        r"insufficient shared memory",
        r"[Uu]nable to (?:open|mmap|allocate) shared memory",
        r"out of shared memory",
        r"It is possible that dataloader's workers are out of shared memory",
    ),
    fires=(
        (
            "It is possible that dataloader's workers are out of shared memory. Please try to raise your shared "
            "memory limit."
        ),
        (
            "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memor"
            "y (shm)."
        ),
        (
            "RuntimeError: unable to open shared memory object </torch_4711_123> in read-write mode: Too many ope"
            "n files (24)"
        ),
    ),
    quiet=("dynamic shared memory per block: 48 KB",),
)
