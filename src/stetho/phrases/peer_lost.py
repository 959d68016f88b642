"""Another process of the run closed its connection.

## What it tells
That the one that speaks is not the one that failed first.

## What it does not tell
Why the other one is gone.
"""

from stetho.phrase import Phrase

peer_lost = Phrase(
    id="peer-lost",
    says="a peer closed its connection",
    words=(
        "connection reset by peer",
        "connection closed by",
        "broken pipe",
        "remote process exited",
        "socket closed",
    ),
    patterns=(
        r"Connection reset by peer",
        r"Connection closed by (?:remote )?peer",
        r"Connection closed by localRank",
        r"remote process exited",
        r"Broken pipe",
    ),
    fires=(
        "ConnectionResetError: [Errno 104] Connection reset by peer",
        "node01:4711:4712 [0] NCCL WARN Connection closed by localRank 3",
        "ncclRemoteError: a remote process exited or there was a network error",
        (
            "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0"
            ".2]:41234"
        ),
        "BrokenPipeError: [Errno 32] Broken pipe",
    ),
    quiet=("connected to all peers",),
)
