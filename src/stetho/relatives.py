"""Which processes belong to a run, and what each of them is to it: found by what they hold and map, not by name."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stetho.procfs import text_of, whole

MOST = 40
PYTHON = re.compile(r"(?:^|/)(?:python|pypy)[0-9.]*$")
LAUNCHER = re.compile(
    r"(?:^|/|\s)(?:torchrun|accelerate|deepspeed|mpirun|mpiexec|srun|horovodrun)(?:\s|$)|torch\.distributed\.(?:run|launch)"
)
SPAWNED = re.compile(r"multiprocessing[.](?:spawn|forkserver)|--multiprocessing-fork")
TRACKER = re.compile(r"multiprocessing[.]resource_tracker|compile_worker|torch/_inductor|wandb-core|wandb-service")
# Pythons that run in a project's folder and train nothing: they serve, show, edit or test.
TOOLS = re.compile(
    r"(?:tensorboard|jupyter[\w-]*|ipykernel\w*|ipython\d?|http\.server|mlflow|wandb|aim|visdom|pylsp|debugpy|pip\d?|pytest"
    r"|ruff|black|mypy|gunicorn|uvicorn|stetho)(?:\.\w+)*"
)
FRAMEWORKS = {
    "torch": re.compile(r"/libtorch(?:_cpu|_cuda|_python)?\.(?:so|dylib)"),
    "tensorflow": re.compile(r"/libtensorflow|_pywrap_tensorflow"),
    "jax": re.compile(r"/jaxlib/|xla_extension|libjax"),
    "cuda": re.compile(r"/libcuda\.so|/libcudart"),
}
STATES = {
    "R": "running", "S": "sleeping", "D": "uninterruptible", "T": "stopped", "t": "traced", "Z": "zombie", "X": "dead",
    "I": "idle",
}  # fmt: skip


@dataclass(frozen=True)
class Stat:
    """What /proc/PID/stat says of a process."""

    pid: int
    name: str
    state: str
    parent: int
    ticks: int
    """Clock ticks of processor time, its own."""
    threads: int
    started: int
    """Clock ticks from the machine's start."""
    session: int = 0
    """The first process of the session that it belongs to."""


@dataclass(frozen=True)
class Relative:
    """A process and what connects it with a run."""

    stat: Stat
    command: tuple[str, ...] = ()
    cwd: str = ""
    frameworks: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Files in the run's folder that it writes."""
    handles: int | None = None
    sockets: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_python(self) -> bool:
        return bool(self.command) and PYTHON.search(self.command[0]) is not None

    @property
    def program(self) -> str:
        """The file or the module that a Python runs; empty for a session and for code on the command line."""
        words = iter(self.command[1:8])
        for word in words:
            if word == "-m":
                return next(words, "")
            if word == "-c":
                return ""
            if word in ("-W", "-X"):
                next(words, None)
            elif not word.startswith("-"):
                return word
        return ""

    @property
    def rank(self) -> int | None:
        return whole(self.environment.get("RANK"))


def parse_stat(text: str) -> Stat | None:
    """One line of /proc/PID/stat; the name may hold spaces and brackets."""
    opening, closing = text.find("("), text.rfind(")")
    rest = text[closing + 1 :].split()
    pid = whole(text[:opening])
    numbers = [whole(word) for word in rest[1:20]]
    if opening < 0 or closing < opening or pid is None or len(numbers) < 19 or None in numbers:
        return None
    known = [number or 0 for number in numbers]
    name = text[opening + 1 : closing]
    return Stat(
        pid, name, STATES.get(rest[0], rest[0]), known[0], known[10] + known[11], known[16], known[18], known[2]
    )


def stat_of(pid: int) -> Stat | None:
    return parse_stat(text_of(f"/proc/{pid}/stat", 4096) or "")


def everybody() -> dict[int, Stat]:
    """All processes, by their numbers."""
    found = {}
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdecimal() and (stat := stat_of(int(name))) is not None:
                found[stat.pid] = stat
    return found


def command_of(pid: int) -> tuple[str, ...]:
    text = text_of(f"/proc/{pid}/cmdline", 64 * 1024) or ""
    return tuple(text.rstrip("\0").split("\0")) if text.strip("\0") else ()


def environment_of(pid: int) -> dict[str, str]:
    """The environment that a process was started with; empty when it is not for us to see."""
    pairs = (text_of(f"/proc/{pid}/environ") or "").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def cwd_of(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd").removesuffix(" (deleted)")
    except OSError:
        return ""


def frameworks_of(pid: int) -> tuple[str, ...]:
    """Frameworks whose libraries a process has mapped."""
    return mapped(text_of(f"/proc/{pid}/maps", 16 * 1024 * 1024) or "")


def mapped(maps: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in FRAMEWORKS.items() if pattern.search(maps))


def handles_of(pid: int, folder: str) -> tuple[int | None, int | None, tuple[str, ...]]:
    """How much a process holds open, how many sockets, and what it writes below the folder."""
    sockets, files = 0, []
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return None, None, ()
    for name in names:
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        if target.startswith("socket:"):
            sockets += 1
        elif (
            below(target, folder)
            and not target.startswith(("/dev/", "/proc/"))
            and _writes(text_of(f"/proc/{pid}/fdinfo/{name}", 512) or "")
        ):
            files.append(target)
    return len(names), sockets, tuple(dict.fromkeys(files))[:10]


def _writes(fdinfo: str) -> bool:
    match = re.search(r"^flags:\s*([0-7]{1,16})$", fdinfo, re.MULTILINE)
    return match is not None and int(match[1], 8) & os.O_ACCMODE != os.O_RDONLY


def below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def read_relative(stat: Stat, folder: str) -> Relative:
    """Everything about one process that connects it with a run."""
    pid = stat.pid
    handles, sockets, files = handles_of(pid, folder)
    return Relative(
        stat, command_of(pid), cwd_of(pid), frameworks_of(pid), files, handles, sockets, environment_of(pid)
    )


def find(folder: Path, pid: int | None) -> tuple[int, ...]:
    """The processes of the run, the likely trainer first."""
    here = str(folder)
    everyone = everybody()
    if pid is not None:
        chosen = _family_of(pid, everyone)
        near = [read_relative(everyone[one], here) for one in chosen if one in everyone]
    else:
        near = list(_near(here, everyone))
    return tuple(one.stat.pid for one in ordered(near, here)[:MOST])


def _family_of(pid: int, everyone: Mapping[int, Stat]) -> list[int]:
    """A process, what it has started, and the other ranks of its launcher."""
    roots = [pid]
    parent = everyone[pid].parent if pid in everyone else 0
    if parent > 1 and LAUNCHER.search(" ".join(command_of(parent)[:6])):
        roots = [pid, parent]
    return list(dict.fromkeys(one for root in roots for one in [root, *_below(root, everyone)]))


def _below(root: int, everyone: Mapping[int, Stat]) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in everyone.values():
        children.setdefault(stat.parent, []).append(stat.pid)
    found, left = [], list(children.get(root, ()))
    while left:
        one = left.pop(0)
        found.append(one)
        left += children.get(one, ())
    return found


def _ancestors(pid: int, everyone: Mapping[int, Stat]) -> set[int]:
    found: set[int] = set()
    while pid in everyone and pid not in found:
        found.add(pid)
        pid = everyone[pid].parent
    return found


def _near(folder: str, everyone: Mapping[int, Stat]) -> Iterator[Relative]:
    """Pythons and frameworks that run in the folder or write there, and what they have started."""
    inside = {one.stat.pid: one for one in _inside(folder, everyone)}
    found = {pid: one for pid, one in inside.items() if one.is_python or one.frameworks or one.files}
    # Where something trains or writes, tools that merely run in the same folder are not of interest.
    telling = {pid: one for pid, one in found.items() if one.frameworks or (one.files and one.is_python)}
    chosen = dict(telling or found)
    for pid in list(chosen):
        for child in _below(pid, everyone):
            chosen.setdefault(child, found.get(child) or read_relative(everyone[child], folder))
    for stat in everyone.values():
        # What has died and was not collected by the shell that started it.
        if stat.state == "zombie" and stat.parent in inside.keys() - found.keys() and PYTHON.search(stat.name):
            chosen.setdefault(stat.pid, Relative(stat))
        elif stat.pid in found and _is_launcher_of(found[stat.pid], chosen):
            chosen.setdefault(stat.pid, found[stat.pid])
    yield from chosen.values()


def _inside(folder: str, everyone: Mapping[int, Stat]) -> Iterator[Relative]:
    """Everything that works in the folder, names it, or writes to it; the cheap questions are asked first."""
    own = _ancestors(os.getpid(), everyone)
    for stat in everyone.values():
        command = command_of(stat.pid) if stat.pid not in own else ()
        if not command:
            continue  # a zombie, a thread of the kernel's, or what has called us
        cwd = cwd_of(stat.pid)
        named = any(below(os.path.join(cwd, word), folder) for word in command[1:6] if word)
        if below(cwd, folder) or named or (cwd and handles_of(stat.pid, folder)[2]):
            yield read_relative(stat, folder)


def _is_launcher_of(one: Relative, chosen: Mapping[int, Relative]) -> bool:
    return any(other.stat.parent == one.stat.pid for other in chosen.values()) and is_launcher(one)


def is_launcher(one: Relative) -> bool:
    return LAUNCHER.search(" ".join(one.command[:6])) is not None


def role(one: Relative, others: Mapping[int, Relative], folder: str) -> str:
    """What a process is to the run: trainer, launcher, worker of a loader, or something else."""
    line = " ".join(one.command)
    parent = others.get(one.stat.parent)
    if TRACKER.search(line) or TOOLS.fullmatch(os.path.basename(one.program)):
        return "other"
    if is_launcher(one):
        return "launcher"
    if parent is not None and not is_launcher(parent) and one.command:
        forked = one.command == parent.command or SPAWNED.search(line)
        # Ranks that a program spawns for itself have a rank in their environment, or many threads of their own.
        return "worker" if forked and one.rank is None else "other" if not one.is_python else "trainer"
    if set(one.frameworks) - {"cuda"} or (one.is_python and (one.files or _script_in(one, folder))):
        return "trainer"
    return "other"


def _script_in(one: Relative, folder: str) -> bool:
    """Whether it runs a program of the folder's: a file there, or a module from there."""
    if any(word in ("-m", "-c") for word in one.command[1:4]):
        return below(one.cwd, folder)
    return bool(one.program) and below(os.path.normpath(os.path.join(one.cwd, one.program)), folder)


def ordered(found: Sequence[Relative], folder: str) -> list[Relative]:
    """The processes, the likely trainer first: it has a framework, writes here, and is nobody's worker."""
    others = {one.stat.pid: one for one in found}

    def score(one: Relative) -> tuple[int, int]:
        points = {"trainer": 8, "other": 2, "launcher": 1, "worker": 0}[role(one, others, folder)]
        points += 4 * bool(set(one.frameworks) - {"cuda"}) + 3 * bool(one.files) + (one.rank in (None, 0))
        points -= 6 * (one.stat.state in ("zombie", "dead"))
        return points, one.stat.ticks

    return sorted(found, key=score, reverse=True)
