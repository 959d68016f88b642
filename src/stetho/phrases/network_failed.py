"""The program could not reach another machine.

## What it tells
Which address or name.

## What it does not tell
Whether the network, a proxy or the other side is at fault.
"""

from stetho.phrase import Phrase

network_failed = Phrase(
    id="network-failed",
    says="the network could not be reached",
    words=(
        "max retries exceeded",
        "name resolution",
        "name or service not known",
        "network is unreachable",
        "connection refused",
        "connectionerror",
        "couldn't reach",
    ),
    patterns=(
        r"Max retries exceeded with url",
        r"[Ff]ailure in name resolution",
        r"Name or service not known",
        r"Network is unreachable",
        r"^(?:\S*\.)?ConnectionError",
        r"[Cc]ouldn't reach",
        r"Connection refused",
    ),
    fires=(
        "socket.gaierror: [Errno -2] Name or service not known",
        "OSError: [Errno 101] Network is unreachable",
        "OSError: We couldn't reach the server to load this file",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        (
            "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retri"
            "es exceeded with url: /bert"
        ),
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    ),
    quiet=("connected to 10.0.0.1",),
)
