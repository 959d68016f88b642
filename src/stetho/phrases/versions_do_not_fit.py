"""Libraries, a driver or a device do not fit together.

## What it tells
Which two do not.

## What it does not tell
Which of them to change.
"""

from stetho.phrase import Phrase

versions_do_not_fit = Phrase(
    id="versions-do-not-fit",
    says="versions do not fit together",
    words=(
        "undefined symbol",
        "glibc",
        "driver version is insufficient",
        "no kernel image",
        "not compatible with the current",
        "torchvision::nms",
        "numpy 0.x",
        "binary incompatibility",
        "too old",
        "library version mismatch",
        "illegal instruction",
        "module compiled against abi",
    ),
    patterns=(
        r"undefined symbol: ",
        r"version `(?:GLIBC|GLIBCXX|CXXABI)_[0.]+' not found",
        r"driver version is insufficient",
        r"no kernel image is available",
        r"is not compatible with the current PyTorch installation",
        r"operator torchvision::nms does not exist",
        r"compiled using NumPy 0\.x cannot be run",
        r"may indicate binary incompatibility",
        r"driver on your system is too old",
        r"Driver/library version mismatch",
        r"^Illegal instruction",
        r"module compiled against (?:ABI|API) version",
    ),
    fires=(
        "ImportError: /opt/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister",
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        "RuntimeError: operator torchvision::nms does not exist",
        "Failed to initialize NVML: Driver/library version mismatch",
        "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.0 as it may crash.",
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
        "Illegal instruction (core dumped)",
    ),
    quiet=("torch version 2.1.0+cu121",),
    ended="error",
)
