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
        (
            "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0"
            ".2]:41234"
        ),
        "BrokenPipeError: [Errno 32] Broken pipe",
    ),
    quiet=("connected to all peers",),
)
