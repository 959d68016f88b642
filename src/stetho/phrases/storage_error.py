"""Reading or writing a disk failed.

## What it tells
Which device or file.

## What it does not tell
Whether data is lost.
"""

from stetho.phrase import Phrase

storage_error = Phrase(
    id="storage-error",
    says="storage reports an error",
    words=(
        "input/output error",
        "i/o error",
        "read-only file system",
        "remounting filesystem",
        "-fs error",
        "xfs",
        "medium error",
    ),
    patterns=(
        r"[Ii]nput/output error(?!s)",
        r"I/O error,? (?:dev|on)",
        r"blk_update_request: I/O error",
        r"[Rr]ead-only file system",
        r"Remounting filesystem read-only",
        r"EXT0-fs error",
        r"XFS .{0,60}(?:shut ?down|corruption)",
        r"[Mm]edium [Ee]rror",
    ),
    fires=(
        "OSError: [Errno 5] Input/output error: '/data/train.bin'",
        "blk_update_request: I/O error, dev nvme0n1, sector 123456",
        "OSError: [Errno 30] Read-only file system: 'out'",
    ),
    quiet=("input/output errors are counted below",),
    ended="error",
)
