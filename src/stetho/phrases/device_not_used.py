"""A library says that an accelerator is there and not used, or that none is found.

## What it tells
That the training runs on the processor.

## What it does not tell
Whether that was meant.
"""

from stetho.phrase import Phrase

device_not_used = Phrase(
    id="device-not-used",
    says="no accelerator is used",
    words=(
        "used: false",
        "cuda is not available",
        "no gpu found",
        "falling back to cpu",
        "cuda initialization",
        "torch not compiled with cuda",
        "not used",
        "is_available",
        "using device",
        "using cpu",
        "device: cpu",
        "device=cpu",
        "device cpu",
        "cuda unavailable",
        "cuda not available",
    ),
    patterns=(
        r"(?:GPU|CUDA).{0,30}available: True.{0,20}, used: False",
        r"GPU available but not used",
        r"(?i:CUDA (?:is )?(?:not |un)available)",
        r"is_available\(\)[ '\"]{0,2}(?:is|=|==|:|->|returned)? ?False",
        r"(?i:\b(?:using|on|training on) (?:the )?(?:device)?[:= '\"]{0,3}cpu\b(?! cores| threads| workers))",
        r"(?i:\bdevice[:= '\"]{1,4}cpu\b)",
        r"[Nn]o GPU (?:found|detected)",
        r"[Ff]alling back to (?:the )?CPU",
        r"Torch not compiled with CUDA",
        r"CUDA initialization: .{0,60}(?:error|[Uu]nexpected|no )",
    ),
    fires=(
        "GPU available but not used. You can set it by doing `Trainer(accelerator='gpu')`.",
        "WARNING: no GPU found, training on the CPU",
        (
            "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda "
            "functions before"
        ),
        "WARNING: torch.cuda.is_available() is False, using device: cpu",
        "Using cpu device",
        "INFO device=cpu",
        "GPU available: True (cuda), used: False",
        "UserWarning: CUDA is not available, falling back to CPU",
        "AssertionError: Torch not compiled with CUDA enabled",
    ),
    quiet=(
        "GPU available: True (cuda), used: True",
        "using cpu threads: 8",
        "using device: cuda:0",
    ),
)
