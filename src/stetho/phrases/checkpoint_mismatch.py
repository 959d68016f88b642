"""A checkpoint does not fit the model that it is loaded into.

## What it tells
Which weights are missing, unexpected or of another size.

## What it does not tell
Whether the model or the checkpoint is the wrong one.
"""

from stetho.phrase import Phrase

checkpoint_mismatch = Phrase(
    id="checkpoint-mismatch",
    says="a checkpoint does not fit the model",
    words=(
        "state_dict",
        "size mismatch for",
        "missing key",
        "unexpected key",
    ),
    patterns=(
        r"Error\(s\) in loading state_dict",
        r"(?:Missing|Unexpected) key\(s\) in state_dict",
        r"size mismatch for \S+: copying a param",
    ),
    fires=(
        "RuntimeError: Error(s) in loading state_dict for Net:",
        '\tMissing key(s) in state_dict: "fc.weight", "fc.bias".',
        (
            "\tsize mismatch for fc.weight: copying a param with shape torch.Size([10, 4]) from checkpoint, the sh"
            "ape in current model is torch.Size([5, 4])."
        ),
    ),
    quiet=("saved state_dict to out.pt",),
)
