"""Parting from the rest of the machine: as much as the kernel lets this user."""

from __future__ import annotations

import os

from . import kernel

# Of what was asked for, what may be missing when the kernel is strict; the first that is granted counts.
ALL = kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET
LESS = (ALL, ALL & ~kernel.CLONE_NEWNET, kernel.CLONE_NEWIPC | kernel.CLONE_NEWNET)
# The table of users of the machine itself; a namespace below knows fewer of them.
EVERYBODY = [["0", "0", "4294967295"]]


class Namespaces:
    """What this process has of its own."""

    def __init__(self, granted: int, user: bool) -> None:
        self.user = user
        self.mounts = bool(granted & kernel.CLONE_NEWNS)
        self.processes = bool(granted & kernel.CLONE_NEWPID)
        self.network = bool(granted & kernel.CLONE_NEWNET)


def part(wanted: int, needed: int) -> Namespaces:
    """Enter new namespaces; root needs no new users for that, and keeps the rights that it has over others' files."""
    refused: OSError | None = None
    for flags in dict.fromkeys(wanted & less for less in LESS):
        if flags & needed != needed or not flags:
            continue
        # In a namespace of users that is not the machine's, root has not the rights that overlays ask of it.
        for user in (False, True) if known("uid_map") == EVERYBODY else (True,):
            try:
                enter(flags, user)
                return Namespaces(flags, user)
            except OSError as error:
                refused = error
    if needed:
        raise refused or OSError(1, "no namespace can be had here")
    return Namespaces(0, False)


def enter(flags: int, user: bool) -> None:
    if not user:
        kernel.unshare(flags)
    else:
        uid, gid = os.getuid(), os.getgid()
        # Root in a container may name every user; that takes a process that stays outside.
        whole = uid == 0 and _mapped_from_outside(flags)
        if not whole:
            if uid != 0:
                kernel.unshare(flags | kernel.CLONE_NEWUSER)
            _write("/proc/self", f"{uid} {uid} 1", f"{gid} {gid} 1", "deny")
    if flags & kernel.CLONE_NEWNS:
        kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)


def known(file: str) -> list[list[str]]:
    """Who there is in this namespace of users."""
    with open(f"/proc/self/{file}", encoding="ascii") as handle:
        return [line.split() for line in handle]


def _mapped_from_outside(flags: int) -> bool:
    """Enter a namespace of users in which a process outside has written down every user; whether it could."""
    users, groups = ("\n".join(f"{i} {i} {n}" for i, _, n in known(file)) for file in ("uid_map", "gid_map"))
    ready, go = os.pipe()
    process, helper = os.getpid(), os.fork()
    if not helper:
        os.close(go)
        os.read(ready, 1)
        try:
            _write(f"/proc/{process}", users, groups, None)
        except OSError:
            os._exit(1)
        os._exit(0)
    try:
        kernel.unshare(flags | kernel.CLONE_NEWUSER)
    finally:
        os.close(go)
        os.close(ready)
        status = os.waitpid(helper, 0)[1]
    return status == 0


def _write(process: str, users: str, groups: str, setgroups: str | None) -> None:
    for file, text in (("setgroups", setgroups), ("uid_map", users), ("gid_map", groups)):
        if text is not None:
            with open(f"{process}/{file}", "w", encoding="ascii") as handle:
                handle.write(text)
