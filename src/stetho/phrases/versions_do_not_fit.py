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
        "but source was compiled",
        "not compiled with cuda",
        "unsupported gpu architecture",
        "numpy is not available",
        "was removed in the numpy",
        "has no attribute",
        "could not load library",
        "unsupported toolchain",
        "is required for a normal functioning",
        "module compiled against",
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
    ),
    patterns=(
        r"Loaded runtime CuDNN library: .{1,20} but source was compiled",
        r"Torch not compiled with CUDA enabled",
        r"Unsupported gpu architecture",
        r"RuntimeError: Numpy is not available",
        r"was removed in the NumPy 0\.0 release",
        r"module 'numpy' has no attribute '(?:bool|int|float|object|complex|str|long|unicode|Inf|NaN)0?'",
        r"Could not load library lib\S+\.so",
        r"PTX was compiled with an unsupported toolchain",
        r"OSError: lib\S+\.so\S*: cannot open shared object file",
        r"is required for a normal functioning of this module, but found",
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
        (
            "Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.6.0.  CuDNN library needs to "
            "have matching major version"
        ),
        "AssertionError: Torch not compiled with CUDA enabled",
        "nvcc fatal   : Unsupported gpu architecture 'compute_90'",
        "RuntimeError: Numpy is not available",
        "AttributeError: `np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead.",
        "AttributeError: module 'numpy' has no attribute 'bool'.",
        (
            "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file: "
            "No such file or directory"
        ),
        "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.",
        "OSError: libcublas.so.11: cannot open shared object file: No such file or directory",
        (
            "RuntimeError: Failed to import transformers.trainer because of the following error: peft>=0.14.0 is "
            "required for a normal functioning of this module, but found peft==0.5.0."
        ),
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
        "AttributeError: module 'numpy' has no attribute 'sofmax'",
        "AttributeError: 'Net' object has no attribute 'fc3'",
        "OSError: /data/lib.so: cannot open shared object file: Permission denied",
        "torch version 2.1.0+cu121",
    ),
    ended="error",
)
