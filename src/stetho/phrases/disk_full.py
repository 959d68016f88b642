"""A write failed as no space or quota is left.

## What it tells
That a file, often a checkpoint, may be cut.

## What it does not tell
Which disk; shared memory that is full gives the same words.
"""

from stetho.phrase import Phrase

disk_full = Phrase(
    id="disk-full",
    says="no space or quota is left",
    words=(
        "not enough free disk",
        "disk is full",
        "ephemeral-storage",
        "no space left",
        "quota exceeded",
        "disk full",
        "not enough free space",
    ),
    patterns=(
        r"low on resource: ephemeral-storage",
        r"No space left on device",
        r"[Dd]isk quota exceeded",
        r"[Dd]isk (?:is )?full",
        r"[Nn]ot enough free (?:disk )?space",
    ),
    fires=(
        "write failed: disk full",
        "Not enough free disk space to download the file. The expected file size is: 4711.00 MB.",
        "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 8812Ki.",
        "OSError: [Errno 28] No space left on device: 'out/ckpt.pt'",
        "OSError: [Errno 122] Disk quota exceeded",
        "RuntimeError: [enforce fail at inline_container.cc:424] . unexpected pos 64 vs 0: No space left on device",
    ),
    quiet=(
        "requests: ephemeral-storage 20Gi",
        "disk usage 71 %, quota 100 GB",
    ),
    ended="error",
)
