"""A file system over the network, or a disk, does not answer.

## What it tells
Which server or task waits.

## What it does not tell
Whether the training waited for it; a silence in the log at that time says so.
"""

from stetho.phrase import Phrase

storage_not_responding = Phrase(
    id="storage-not-responding",
    says="storage does not answer",
    words=(
        "nfs: server",
        "not responding",
        "blocked for more than",
        "stale file handle",
        "transport endpoint",
        "lustre",
        "timed out, giving up",
        "estale",
    ),
    patterns=(
        r"nfs: server \S+ not responding",
        r"task \S+ blocked for more than 0 seconds",
        r"Stale (?:NFS )?file handle",
        r"Transport endpoint is not connected",
        r"Lustre(?:Error)?: .{0,120}(?:evict|timed out|not respond|lost)",
        r"nfs: server \S+ (?:OK|timed out)",
    ),
    fires=(
        "OSError: [Errno 107] Transport endpoint is not connected: '/mnt/data'",
        "LustreError: 4711:0:(client.c:1187:ptlrpc_import_delay_req()) the connection was lost",
        "nfs: server filer01 timed out",
        "kernel: nfs: server storage01 not responding, still trying",
        "INFO: task python:4711 blocked for more than 120 seconds.",
        "OSError: [Errno 116] Stale file handle: '/data/shard-00012.tar'",
    ),
    quiet=("the model is not responding to instructions",),
)
