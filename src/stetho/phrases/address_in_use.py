"""A port that a process wants to listen on is taken.

## What it tells
That another run, or a remnant of this one, holds it.

## What it does not tell
Which process.
"""

from stetho.phrase import Phrase

address_in_use = Phrase(
    id="address-in-use",
    says="a port is taken",
    words=(
        "address already in use",
        "eaddrinuse",
    ),
    patterns=(
        r"[Aa]ddress already in use",
        r"EADDRINUSE",
    ),
    fires=(
        (
            "RuntimeError: The server socket has failed to listen on any local network address. port: 29500, useI"
            "pv6: true, code: -98, name: EADDRINUSE, message: address already in use"
        ),
    ),
    quiet=("address of the server: 10.0.0.1",),
    ended="error",
)
