"""A kernel on the accelerator touched memory that it must not touch.

## What it tells
That an index was out of range on the device, or that a kernel is wrong.

## What it does not tell
Which operation: the report comes late, at another one.
"""

from stetho.phrase import Phrase

illegal_device_access = Phrase(
    id="illegal-device-access",
    says="an illegal memory access on the device",
    words=(
        "memory access fault by gpu",
        "illegal instruction was encountered",
        "invalid program counter",
        "illegal memory access",
        "unspecified launch failure",
        "misaligned address",
    ),
    patterns=(
        r"Memory access fault by GPU",
        r"an illegal instruction was encountered",
        r"an illegal memory access was encountered",
        r"unspecified launch failure",
        r"misaligned address",
        r"CUDA error: invalid program counter",
    ),
    fires=(
        "Memory access fault by GPU node-1 (Agent handle: 0x55d0) on address 0x7f00. Reason: Page not present.",
        "RuntimeError: CUDA error: an illegal instruction was encountered",
        "RuntimeError: CUDA error: misaligned address",
        "RuntimeError: CUDA error: invalid program counter",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "CUDA error: unspecified launch failure",
    ),
    quiet=("no illegal memory accesses were found",),
    ended="error",
)
