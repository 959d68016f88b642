"""A loss on the accelerator refused a label that is no class index.

## What it tells
The labels do not fit the model's outputs: the assertion stands in the kernel of the loss, and speaks of its classes.

## What it does not tell
Which label; on the CPU the same call says it.
"""

from stetho.phrase import Phrase

class_index_asserted = Phrase(
    id="class-index-asserted",
    says="a label is no class index, says the device",
    words=("n_classes", "nclasses", "num_classes", "target_val"),
    patterns=(
        r"Assertion `[^`]{0,80}\b(?:n_classes|nClasses|num_classes)\b[^`]{0,40}` failed",
        r"Assertion `target_val >= \w+ && target_val <= \w+` failed",
    ),
    fires=(
        (
            "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], "
            "thread: [3,0,0] Assertion `t >= 0 && t < n_classes` failed."
        ),
        (
            "/opt/conda/conda-bld/pytorch/aten/src/THCUNN/ClassNLLCriterion.cu:108: cunn_ClassNLLCriterion_update"
            "Output_kernel: block: [0,0,0], thread: [1,0,0] Assertion `cur_target >= 0 && cur_target < n_classes` "
            "failed."
        ),
        "Loss.cu:102: operator(): block: [0,0,0], thread: [4,0,0] Assertion `target_val >= zero && target_val <= one` "
        "failed.",
    ),
    quiet=(
        "Indexing.cu:1292: indexSelectLargeIndex: block: [3,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        "Loss.cu:94: operator(): block: [0,0,0] Assertion `input_val >= zero && input_val <= one` failed.",
        "num_classes: 10",
    ),
    ended="error",
)
