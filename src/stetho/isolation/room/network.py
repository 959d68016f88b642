"""A network of its own, which ends at this machine: programs can talk to themselves and to nobody else."""

from __future__ import annotations

import fcntl
import socket
import struct

SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFADDR = 0x8913, 0x8914, 0x8916
IFF_UP = 1


def raise_loopback(addresses: list[str]) -> None:
    """Bring up loopback, also under the machine's own addresses: launchers meet under its name, not under localhost."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        _up(asked, "lo")
        for number, address in enumerate(a for a in addresses if ":" not in a):
            _take(asked, f"lo:{number + 1}", address)


def _up(asked: socket.socket, name: str) -> None:
    request = struct.pack("16sh14x", name.encode(), 0)
    flags = struct.unpack("16sh14x", fcntl.ioctl(asked, SIOCGIFFLAGS, request))[1]
    fcntl.ioctl(asked, SIOCSIFFLAGS, struct.pack("16sh14x", name.encode(), flags | IFF_UP))


def _take(asked: socket.socket, name: str, address: str) -> None:
    """One more address; without it, only a launcher that uses it is the worse for it."""
    family = struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
    try:
        fcntl.ioctl(asked, SIOCSIFADDR, struct.pack("16s16s", name.encode(), family))
    except OSError:
        return
