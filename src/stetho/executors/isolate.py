"""Run a command in which every write below the protected directories goes to a scratch directory instead.

Started as a program of its own (`python -I isolate.py SPEC.json`), standard library only: in a new user and
mount namespace it lays an overlay over each protected directory, then becomes the command. The user id stays
as it is; paths stay as they are; the files below stay as they are.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV = 0x1000, 0x4000, 1 << 18, 2, 4
PR_SET_PDEATHSIG = 1
REFUSED = 97

libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *args: object) -> None:
    if getattr(libc, name)(*args) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def enter_namespace() -> None:
    uid, gid = os.getuid(), os.getgid()
    call("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as handle:
            handle.write(text)
    mount("none", "/", "", MS_REC | MS_PRIVATE)


def mounts_below(directory: str) -> list[str]:
    """Mount points inside a directory, which an overlay on it would hide."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as handle:
        points = [line.split()[4].replace("\\040", " ") for line in handle]
    return [p for p in points if p.startswith(directory.rstrip("/") + "/")]


def escaped(path: str) -> str:
    for special in ("\\", ",", ":"):
        path = path.replace(special, "\\" + special)
    return path


def lay_overlay(directory: str, upper: str, work: str) -> None:
    hidden = [(p, os.open(p, os.O_PATH)) for p in mounts_below(directory)]
    options = f"lowerdir={escaped(directory)},upperdir={escaped(upper)},workdir={escaped(work)}"
    flags = MS_NOSUID | MS_NODEV
    try:
        mount("overlay", directory, "overlay", flags, options + ",userxattr")
    except OSError:
        mount("overlay", directory, "overlay", flags, options)
    for path, descriptor in hidden:
        if os.path.isdir(path):
            mount(f"/proc/self/fd/{descriptor}", path, "", MS_BIND | MS_REC)
        os.close(descriptor)


def main() -> None:
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with open(sys.argv[1], encoding="utf-8") as handle:
        spec = json.load(handle)
    try:
        if spec["protect"]:
            enter_namespace()
        for entry in spec["protect"]:
            lay_overlay(entry["directory"], entry["upper"], entry["work"])
    except OSError as error:
        sys.stderr.write(f"stetho: no overlay here: {error}\n")
        sys.exit(REFUSED)
    os.chdir(spec["cwd"])
    try:
        os.execvpe(spec["command"][0], spec["command"], spec["environment"])
    except OSError as error:
        sys.stderr.write(f"stetho: cannot start {spec['command'][0]}: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main()
