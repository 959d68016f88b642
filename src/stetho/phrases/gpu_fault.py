"""The driver or the hardware of an accelerator reports a fault.

## What it tells
The kind of fault, as an Xid number or an ECC error, and the device.

## What it does not tell
Whether the device is broken or was only driven into the fault by a program.
"""

from stetho.phrase import Phrase

gpu_fault = Phrase(
    id="gpu-fault",
    says="the accelerator or its driver reports a fault",
    words=(
        "requires reset",
        "machine check",
        "xid",
        "ecc error",
        "fallen off the bus",
        "gpu is lost",
        "uncorrectable",
        "hardware error",
        "nvlink",
    ),
    patterns=(
        r"NVRM: Xid",
        r"\bXid \(PCI",
        r"fallen off the bus",
        r"GPU is lost",
        r"uncorrectable (?:ECC|NVLink) error",
        r"[Uu]ncorrectable ECC",
        r"Unable to determine the device handle for (?:GPU|gpu)",
        r"CUDA error: (?:uncorrectable|hardware stack error|unknown error$)",
        r"GPU requires reset",
        r"Machine check events logged",
        r"\[Hardware Error\]",
    ),
    fires=(
        "NVRM: GPU 0000:3b:00.0: GPU requires reset",
        "mce: [Hardware Error]: Machine check events logged",
        "mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 7",
        "cuda runtime error (39) : uncorrectable ECC error encountered at THCCachingHostAllocator.cpp:265",
        "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:3b:00): 48, pid=4711, An uncorrectable double bit error (DBE) has been detected",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        (
            "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot the system to recove"
            "r this GPU"
        ),
    ),
    quiet=(
        "ECC errors: 0 volatile, 0 aggregate",
        "max_id 12, xid 5",
    ),
    ended="error",
)
