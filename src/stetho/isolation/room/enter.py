"""The way into the room: part from the machine, lay the layers, close the network, run the command, end with it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import stat
import sys

from . import EDIT, REFUSED, kernel, namespaces, network, supervision, table
from .layers import SHARED_MEMORY, Layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Spec = dict[str, Any]

LINUX = sys.platform.startswith("linux")
CONFINEMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "observer", "confinement.py")


class Report:
    """What whoever started this must know: how the room was made, what it lacks, or why there is none."""

    def __init__(self, file: str) -> None:
        self.descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.body: dict[str, object] = {"notes": []}

    def write(self, **more: object) -> None:
        self.body.update(more)
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, json.dumps(self.body).encode(), 0)

    def refuse(self, what: str, error: OSError, **more: object) -> NoReturn:
        self.write(refused=what, why=error.strerror or str(error), **more)
        os._exit(REFUSED)


def main(file: str) -> None:
    with open(file, encoding="utf-8") as handle:
        spec = json.load(handle)
    report = Report(spec["report"])
    if LINUX:
        kernel.die_with_parent(signal.SIGTERM)
        if os.getppid() != spec["owner"]:
            os._exit(REFUSED)  # it died before this process could ask to be told
    try:
        parted = part(spec)
    except OSError as error:
        report.refuse("namespaces", error)
    if not parted.processes:
        furnish(spec, parted, report)
        supervision.guard_family(lambda: start(spec, parted))
    told, tell = os.pipe()
    first = os.fork()
    if first:
        os.close(tell)
        supervision.guard_namespace(first, told)
    kernel.die_with_parent(signal.SIGKILL)
    os.close(told)
    be_first(spec, parted, report, tell)


def part(spec: Spec) -> namespaces.Namespaces:
    if not LINUX:
        return namespaces.Namespaces(0, False)
    wanted = namespaces.ALL
    wanted &= ~kernel.CLONE_NEWNET if spec["network"] else wanted
    wanted &= wanted if spec["processes"] else ~kernel.CLONE_NEWPID
    return namespaces.part(wanted, kernel.CLONE_NEWNS if spec["overlay"] else 0)


def be_first(spec: Spec, parted: namespaces.Namespaces, report: Report, tell: int) -> NoReturn:
    """The first process of its namespace: it makes the room, buries the orphans, and all end with it."""
    os.set_inheritable(tell, False)
    try:
        furnish(spec, parted, report)
        status = supervision.reap(start(spec, parted))
        os.write(tell, str(status).encode())
    except BaseException:  # noqa: BLE001 - whatever it was, this process must end here, and say why
        import traceback

        traceback.print_exc()
    finally:
        os._exit(1)


def furnish(spec: Spec, parted: namespaces.Namespaces, report: Report) -> None:
    """All that must be in place before the command starts."""
    notes: list[str] = []
    made: dict[str, object] = {}
    try:
        if parted.network:
            network.raise_loopback(spec["addresses"])
        if spec["overlay"]:
            layers = Layers(spec["base"], table.mounts(), parted.user, spec["places"])
            lay(spec, layers, parted)
            made = {"layers": layers.made, "placed": layers.placed}
            notes += layers.notes
        else:
            part_from_files(parted)
        os.chdir(spec["cwd"])
    except OSError as error:
        report.refuse("proc" if parted.processes and "proc" in str(error) else "layers", error)
    make_edits(spec, report)
    if not spec["network"] and not parted.network:
        notes.append("the network could not be closed here; only trackers and hubs were switched off")
    if not spec["overlay"] and not can_confine() and not read_only_elsewhere(spec, parted):
        notes.append("writes to absolute paths outside the project could not be refused on this machine")
    report.write(notes=notes, processes=parted.processes, closed=parted.network, **made)


def make_edits(spec: Spec, report: Report) -> None:
    """Let the run see changed files; one that cannot be changed says nothing of what the machine allows."""
    for number, (path, text) in enumerate(spec["edits"]):
        try:
            if text is None:
                os.unlink(path)
                continue
            changed = text.encode("utf-8", "surrogateescape")
            if any(table.inside(path, folder) for folder in spec["writes"]):
                cover_real(path, changed, os.path.join(spec["base"], f"edit{number}"))
            else:
                write_edit(path, changed)
        except OSError as error:
            report.refuse(EDIT, error, edit=path)


def cover_real(path: str, changed: bytes, stand_in: str) -> None:
    """Show another file in the place of one in a folder where writes are real, as this one is the user's own."""
    if not os.path.isfile(path):
        raise OSError(errno.EROFS, "it would be a new file in a folder that is open for writing")
    with open(stand_in, "wb") as handle:
        handle.write(changed)
    os.chmod(stand_in, stat.S_IMODE(os.stat(path).st_mode))
    kernel.bind(stand_in, path)


def write_edit(path: str, changed: bytes) -> None:
    """The file with its new content; one that may only be read is made anew, as an editor would."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, "wb") as handle:
            handle.write(changed)
    except OSError:
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        os.unlink(path)
        with open(path, "wb") as handle:
            handle.write(changed)
        os.chmod(path, mode)


def part_from_files(parted: namespaces.Namespaces) -> None:
    """For a copy: what cannot be copied, the table of processes and shared memory, is its own where it can be."""
    if parted.processes:
        kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    if parted.mounts and os.path.isdir(SHARED_MEMORY) and not os.listdir(SHARED_MEMORY):
        kernel.mount("shm", SHARED_MEMORY, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=1777")


def lay(spec: Spec, layers: Layers, parted: namespaces.Namespaces) -> None:
    """The new root, with the few things in it that are real: the recording, and what the user allows."""
    layers.build()
    base = spec["base"]
    view = os.path.join(base, "view")
    os.makedirs(os.path.join(view, "recording"))
    # The layers themselves must not be seen in their own midst: whoever walks there would never come to an end.
    kernel.bind(view, layers.new(base))
    kernel.bind(os.path.join(base, "recording"), layers.new(os.path.join(base, "recording")))
    for folder in spec["writes"]:
        kernel.bind(folder, layers.new(folder))
    if parted.network and spec["hosts"]:
        kernel.bind(spec["hosts"], layers.new(os.path.realpath("/etc/hosts")))
    if parted.processes:
        try:
            kernel.mount("proc", layers.new("/proc"), "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
        except OSError as error:
            raise OSError(error.errno, f"/proc: {error.strerror}") from error
    if not parted.user:
        # Root could change the machine itself by these; in a user namespace the kernel refuses that already.
        protect_settings(layers)
    kernel.make_root(layers.root)


def protect_settings(layers: Layers) -> None:
    kernel.bind(layers.new("/proc/sys"), layers.new("/proc/sys"))
    for path in ("/proc/sys", "/sys"):
        with contextlib.suppress(OSError):
            kernel.make_read_only(layers.new(path), [])


def start(spec: Spec, parted: namespaces.Namespaces) -> int:
    def before() -> None:
        if LINUX and spec["overlay"]:
            kernel.drop_powers()
        elif can_confine():
            confinement().confine([spec["base"], "/dev", "/proc", *spec["writes"]])

    return supervision.start(spec["command"], spec["environment"], before)


def read_only_elsewhere(spec: Spec, parted: namespaces.Namespaces) -> bool:
    """Without another way to refuse writes, every mount but the scratch becomes read-only; whether that was done."""
    if not parted.mounts:
        return False
    try:
        for folder in (spec["base"], *spec["writes"]):
            kernel.bind(folder, folder)
        for mount in table.mounts():
            real = mount.writable and not mount.pseudo and mount.point != SHARED_MEMORY
            if real and mount.point not in (spec["base"], *spec["writes"]):
                kernel.make_read_only(mount.point, list(mount.words))
    except OSError:
        return False
    return True


def can_confine() -> bool:
    return LINUX and confinement().version() > 0


def confinement() -> Any:
    """The observer has a module for this, too; it is loaded alone, without the rest."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("confinement", CONFINEMENT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
