"""Having the kernel refuse this process every change of a file, also by code that is not Python's. Linux alone can."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

# The calls have one number on every kind of machine.
CREATE, ADD, RESTRICT = 444, 445, 446
NO_NEW_PRIVILEGES, BELOW_A_PATH, VERSION = 38, 1, 1
# Writing, removing and making of each kind; then, from its second and third version on, moving and cutting short.
CHANGES = 0b1_1111_1111_0010
MOVING, CUTTING = 1 << 13, 1 << 14
# What may be allowed for something that is not a folder.
ON_A_FILE = 0b10 | CUTTING


def version() -> int:
    """Which version of this the kernel knows; 0 for none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(CREATE, None, ctypes.c_size_t(0), VERSION)))


def confine(allowed: list[str]) -> bool:
    """Nothing outside these files and folders can be changed from now on; whether this kernel sees to that."""
    known = version()
    if not known:
        return False
    system = ctypes.CDLL(None)
    changes = CHANGES | (MOVING if known >= 2 else 0) | (CUTTING if known >= 3 else 0)
    rules = system.syscall(CREATE, struct.pack("=Q", changes), ctypes.c_size_t(8), 0)
    if rules < 0:
        return False
    try:
        for path in allowed:
            if os.path.exists(path):
                allow(system, rules, path, changes if os.path.isdir(path) else changes & ON_A_FILE)
        if system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            return False
        return bool(system.syscall(RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def allow(system: ctypes.CDLL, rules: int, path: str, changes: int) -> None:
    """Except what lies here."""
    descriptor = os.open(path, getattr(os, "O_PATH", os.O_RDONLY))
    try:
        system.syscall(ADD, rules, BELOW_A_PATH, struct.pack("=Qi", changes, descriptor), 0)
    finally:
        os.close(descriptor)
