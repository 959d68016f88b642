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
        "module compiled against",
        "glibcxx",
        "cxxabi",
        "cannot open shared object",
        "cuda setup failed",
        "different cuda major",
        "detected cuda version",
        "forward compatibility was attempted",
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
        r"ImportError: lib\S+\.so\S*: cannot open shared object file",
        r"CUDA Setup failed despite",
        r"compiled with different CUDA",
        r"detected CUDA version .{0,20} mismatches",
        r"forward compatibility was attempted on non supported",
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
        "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by _lib.so)",
        "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version",
        "NVIDIA H100 with CUDA capability sm_90 is not compatible with the current PyTorch installation.",
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88",
        "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000",
        "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        "RuntimeError: CUDA Setup failed despite GPU being available.",
        "CUDA Setup failed despite CUDA being available. Please run the following command to get more information:",
        "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions.",
        (
            "RuntimeError: The detected CUDA version (11.4) mismatches the version that was used to compile "
            "PyTorch (12.1)."
        ),
        "forward compatibility was attempted on non supported HW",
        "ImportError: /opt/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister",
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        "RuntimeError: operator torchvision::nms does not exist",
        "Failed to initialize NVML: Driver/library version mismatch",
        "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.0 as it may crash.",
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
        "Illegal instruction (core dumped)",
    ),
    quiet=(
        "OSError: /data/lib.so: cannot open shared object file: Permission denied",
        "torch version 2.1.0+cu121",
    ),
    ended="error",
)
