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
        "pytorchstreamwriter",
        "input/output error",
        "i/o error",
        "read-only file system",
        "remounting filesystem",
        "-fs error",
        "xfs",
        "medium error",
    ),
    patterns=(
        r"PytorchStreamWriter failed writing",
        r"[Ii]nput/output error(?!s)",
        r"I/O error,? (?:dev|on)",
        r"blk_update_request: I/O error",
        r"[Rr]ead-only file system",
        r"Remounting filesystem read-only",
        r"EXT0-fs error",
        r"XFS .{0,60}(?:[Ss]hut(?:ting)? ?down|[Cc]orruption)",
        r"[Mm]edium [Ee]rror",
    ),
    fires=(
        "EXT4-fs (sda1): Remounting filesystem read-only",
        "EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm python: reading directory lblock 0",
        "XFS (sda1): Corruption of in-memory data detected. Shutting down filesystem",
        "sd 0:0:0:0: [sda] tag#3 Sense Key : Medium Error [current]",
        (
            "RuntimeError: [enforce fail at inline_container.cc:764] . PytorchStreamWriter failed writing file "
            "data/271: file write failed"
        ),
        "OSError: [Errno 5] Input/output error: '/data/train.bin'",
        "blk_update_request: I/O error, dev nvme0n1, sector 123456",
        "OSError: [Errno 30] Read-only file system: 'out'",
    ),
    quiet=(
        "PytorchStreamWriter: 12 records",
        "input/output errors are counted below",
    ),
    ended="error",
)
