"""The program saved a checkpoint.

## What it tells
Up to where it can go on after a failure.

## What it does not tell
Whether the file is whole.
"""

from stetho.phrase import Phrase

checkpoint_saved = Phrase(
    id="checkpoint-saved",
    says="it saved checkpoints",
    words=(
        "saving",
        "saved",
    ),
    patterns=(
        r"(?i:\b(?:saving|saved)\b.{0,40}(?:checkpoint|ckpt|model|state|weights))",
        r"(?i:(?:checkpoint|model|weights)\b.{0,60}\bsaved\b)",
    ),
    fires=(
        "Saving model checkpoint to out/checkpoint-500",
        "saving checkpoint to out-shakespeare-char",
        "Model saved to best.pt",
    ),
    quiet=("saving time with a cache",),
)
