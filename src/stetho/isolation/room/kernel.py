"""The calls to the kernel that Python has no name for; each raises OSError when it is refused."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE = 1 << 10, 1 << 11, 1 << 12, 1 << 14, 1 << 18
MS_RELATIME, MNT_DETACH = 1 << 21, 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 24, 38, 36
# What could undo the room or reach past it: mounting, raw devices, kernel modules, rebooting, making device nodes.
DROPPED = {"SYS_MODULE": 16, "SYS_RAWIO": 17, "SYS_ADMIN": 21, "SYS_BOOT": 22, "MKNOD": 27}
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "ppc64le": 203, "s390x": 217, "riscv64": 41}
# The attributes of a mount that a namespace below must keep, by the words of mountinfo.
FLAGS = {
    "ro": MS_RDONLY, "nosuid": MS_NOSUID, "nodev": MS_NODEV, "noexec": MS_NOEXEC,
    "noatime": MS_NOATIME, "nodiratime": MS_NODIRATIME, "relatime": MS_RELATIME,
}  # fmt: skip

libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *args: object) -> None:
    """Call a function of the C library that answers 0."""
    if getattr(libc, name)(*args) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    call("unshare", flags)


def prctl(option: int, value: int) -> None:
    call("prctl", option, ctypes.c_ulong(value), 0, 0, 0)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    given = (os.fsencode(source), os.fsencode(target), os.fsencode(kind))
    call("mount", *given, ctypes.c_ulong(flags), os.fsencode(options))


def bind(source: str, target: str) -> None:
    """Show a file or a folder in a second place, with all that is mounted below it: less is refused to users."""
    mount(source, target, "", MS_BIND | MS_REC)


def make_read_only(target: str, words: list[str]) -> None:
    """Refuse writes below a mount point, whose other attributes must stay."""
    kept = sum(FLAGS.get(word, 0) for word in words)
    mount("none", target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | kept)


def make_root(folder: str) -> None:
    """Make a mounted folder the root of everything, and let go of the old root."""
    os.chdir(folder)
    machine = os.uname().machine
    number = PIVOT_ROOT.get(machine)
    if number is None:
        raise OSError(38, f"pivot_root has no known number on {machine}")
    call("syscall", ctypes.c_long(number), b".", b".")
    call("umount2", b".", MNT_DETACH)
    os.chdir("/")


def drop_powers() -> None:
    """Give up, for whatever is started from here on, the powers with which root could leave the room."""
    for number in DROPPED.values():
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:
            continue  # an ordinary user has none to give up


def die_with_parent(signal: int) -> None:
    prctl(PR_SET_PDEATHSIG, signal)
