"""torch says that prediction and target have different shapes, and are broadcast.

## What it tells
The two shapes.

## What it does not tell
Whether the loss is wrong: it almost always is.
"""

from stetho.phrase import Phrase

shapes_broadcast = Phrase(
    id="shapes-broadcast",
    says="prediction and target are broadcast",
    words=(
        "different to the input size",
        "broadcasting",
    ),
    patterns=(r"Using a target size \(torch\.Size\(\[.{0,60}\]\)\) that is different to the input size",),
    fires=(
        (
            "UserWarning: Using a target size (torch.Size([32])) that is different to the input size (torch.Size("
            "[32, 1])). This will likely lead to incorrect results due to broadcasting."
        ),
    ),
    quiet=("input size: 224",),
)
