"""A network of its own, which ends at this machine: programs can talk to themselves and to nobody else."""

from __future__ import annotations

import fcntl
import os
import struct

from . import kernel

AF_INET, SOCK_DGRAM = 2, 2
SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFADDR = 0x8913, 0x8914, 0x8916
IFF_UP = 1


def raise_loopback(addresses: list[str]) -> None:
    """Bring up loopback, also under the machine's own addresses: launchers meet under its name, not under localhost."""
    asked = int(kernel.libc.socket(AF_INET, SOCK_DGRAM, 0))
    try:
        _up(asked, "lo")
        for number, address in enumerate(addresses):
            _take(asked, f"lo:{number + 1}", address)
    finally:
        os.close(asked)


def _up(asked: int, name: str) -> None:
    request = struct.pack("16sh14x", name.encode(), 0)
    flags = struct.unpack("16sh14x", fcntl.ioctl(asked, SIOCGIFFLAGS, request))[1]
    fcntl.ioctl(asked, SIOCSIFFLAGS, struct.pack("16sh14x", name.encode(), flags | IFF_UP))


def _take(asked: int, name: str, address: str) -> None:
    """One more address; without it, only a launcher that uses it is the worse for it."""
    family = struct.pack("=HH4s8x", AF_INET, 0, bytes(map(int, address.split("."))))
    try:
        fcntl.ioctl(asked, SIOCSIFADDR, struct.pack("16s16s", name.encode(), family))
    except OSError:
        return
