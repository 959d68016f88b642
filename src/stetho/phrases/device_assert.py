"""An assertion failed on the accelerator.

## What it tells
Mostly an index out of range: a label beyond the classes, a token beyond the vocabulary.

## What it does not tell
Which value; on the CPU the same call says it.
"""

from stetho.phrase import Phrase

device_assert = Phrase(
    id="device-assert",
    says="an assertion failed on the device",
    words=(
        "device-side assert",
        "assertion `",
    ),
    patterns=(
        r"device-side assert triggered",
        r"Assertion `.{1,120}` failed\.",
    ),
    fires=(
        "RuntimeError: CUDA error: device-side assert triggered",
        (
            "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], th"
            "read: [3,0,0] Assertion `t >= 0 && t < n_classes` failed."
        ),
    ),
    quiet=("compile with TORCH_USE_CUDA_DSA to enable device-side assertions",),
    ended="error",
)
