"""A place where a command can run for real and touch nothing of the user's.

Where the kernel allows it, everything is overlaid in a private namespace: same paths, every write to a scratch
directory. Elsewhere the project is copied and the command is pointed at the copy.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stetho.errors import ScratchError
from stetho.experiment import Job
from stetho.isolation.room.table import inside, mounts

ISOLATE = Path(__file__).parent / "isolation" / "isolate.py"
RECORDING, SPEC, REPORT, OWNED = "recording", "spec.json", "report.json", "owned"
# File systems that an upper layer cannot lie on.
NO_UPPER = ("overlay", "nfs", "fuse", "9p", "vfat", "exfat", "ntfs", "lustre", "gpfs", "beegfs", "cifs", "smb", "afs")
# A run that fills the scratch is worse than one that is slower: what has less room than this is taken last.
ROOMY = 1024**3


@dataclass(frozen=True)
class Way:
    """How a run is kept apart, in steps that can be given up one by one where the machine refuses them."""

    overlay: bool = True
    processes: bool = True
    """Whether it gets a process namespace; without one, a guardian ends what it has started."""


@dataclass(frozen=True)
class Scratch:
    """Where one run happens: what to start, and how its paths map back to the user's."""

    base: Path
    way: Way
    renamed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def recording(self) -> Path:
        return self.base / RECORDING

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, "-I", "-S", str(ISOLATE), str(self.base / SPEC))

    def report(self) -> dict[str, object]:
        """What the isolating program said of the room; nothing, if it was killed before it could."""
        try:
            body = json.loads((self.base / REPORT).read_text())
        except (OSError, ValueError):
            return {}
        return body if isinstance(body, dict) else {}

    def discard(self) -> None:
        discard(self.base)


@dataclass(frozen=True)
class Spec:
    """What the isolating program is told."""

    command: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    base: str
    overlay: bool
    processes: bool
    network: bool
    """Whether the network stays open."""
    writes: tuple[str, ...]
    edits: tuple[tuple[str, str | None], ...] = ()
    """Files and what they hold instead; None for one that is taken away."""
    """Files of the user's, and what they hold in this run."""
    places: tuple[str, ...] = ()
    """Where the command is likely to write, the most important place first."""
    addresses: tuple[str, ...] = ()
    hosts: str | None = None
    """A table of hosts that knows this machine's name, if its own does not."""
    owner: int = field(default_factory=os.getpid)

    def write(self) -> None:
        body = {**vars(self), "report": str(Path(self.base) / REPORT)}
        (Path(self.base) / SPEC).write_text(json.dumps(body, ensure_ascii=True))


_locks: dict[Path, int] = {}


def discard(folder: Path) -> None:
    """Throw a scratch away; folders that the run has closed, and overlay work directories, are opened first."""
    for inner, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(inner, name)
            if not os.path.islink(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
                # Somebody else may be throwing it away at the same time.
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
    if folder in _locks:
        os.close(_locks.pop(folder))


def project_directories(command: Sequence[str], cwd: str) -> list[str]:
    """The working directory and those of files and directories that the command names."""
    found = [os.path.realpath(cwd)]
    for argument in command[1:]:
        value = argument.split("=", 1)[-1]
        path = os.path.realpath(os.path.join(cwd, value))
        if (os.sep in value or value.endswith(".py")) and os.path.exists(path):
            found.append(path if os.path.isdir(path) else os.path.dirname(path))
    return _outermost([p for p in found if p != os.sep])


def _outermost(directories: list[str]) -> list[str]:
    kept: list[str] = []
    for directory in sorted(set(directories), key=len):
        if not any(inside(directory, k) for k in kept):
            kept.append(directory)
    return kept


def _writable(directory: str) -> bool:
    return os.path.isdir(directory) and os.access(directory, os.W_OK | os.X_OK)


def outside(cwd: str, way: Way, avoided: Sequence[str] = ()) -> str:
    """A folder for scratches: on a disk that can hold what is written, and never in what will be copied."""
    named = os.environ.get("STETHO_SCRATCH")
    usual = ("/var/tmp", "~/.cache", tempfile.gettempdir(), os.path.join(cwd, ".stetho"), "/dev/shm")
    found = [os.path.realpath(os.path.expanduser(path)) for path in ((named, *usual) if named else usual)]
    usable = [p for p in found if _writable(p) and not any(inside(p, a) for a in avoided)]
    if way.overlay:
        kinds = [(mount.point, mount.kind) for mount in mounts()]
        usable = [p for p in usable if not _kind(p, kinds).startswith(NO_UPPER)]
    if not usable:
        raise ScratchError("no writable directory outside the project for a scratch copy; set STETHO_SCRATCH to one")
    first = usable[0]
    return first if named else next((p for p in usable if shutil.disk_usage(p).free > ROOMY), first)


def _kind(path: str, kinds: Sequence[tuple[str, str]]) -> str:
    return max(((point, kind) for point, kind in kinds if inside(path, point)), key=lambda one: len(one[0]))[1]


def sweep(folder: str) -> None:
    """Remove scratches whose owner was killed before it could."""
    from stetho.isolation.likeness import restore

    for scratch in Path(folder).glob("stetho-*-*"):
        owner = scratch.name.split("-")[1]
        # Tidying up after others must never end a case of one's own.
        with contextlib.suppress(OSError):
            if owner.isdigit() and not _runs(int(owner)) and os.access(scratch, os.W_OK) and not _held(scratch):
                restore(scratch)
                discard(scratch)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _held(scratch: Path) -> bool:
    """Whether somebody holds its lock: in another container, the same directory has owners with unknown numbers."""
    try:
        with (scratch / OWNED).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def new_base(folder: str) -> Path:
    sweep(folder)
    base = Path(tempfile.mkdtemp(prefix=f"stetho-{os.getpid()}-", dir=folder))
    (base / RECORDING).mkdir()
    # Held for as long as this process lives, or until the scratch is thrown away.
    _locks[base] = os.open(base / OWNED, os.O_WRONLY | os.O_CREAT, 0o600)
    with contextlib.suppress(OSError):
        fcntl.flock(_locks[base], fcntl.LOCK_EX)
    return base


def make(job: Job, way: Way) -> tuple[Scratch, Spec]:
    """A scratch for one run, and what the isolating program must know of it; the environment is still the user's."""
    from stetho.isolation.copies import copied

    environment = {**os.environ, **job.environment}
    writes = tuple(os.path.realpath(folder) for folder in job.isolation.writes)
    for folder in writes:
        if not os.path.isdir(folder):
            raise ScratchError(f"{folder} cannot be opened for writing: there is no such directory")
    if not way.overlay:
        return copied(job, way, environment, writes)
    base = new_base(outside(job.cwd, way))
    spec = Spec(
        job.command, job.cwd, environment, str(base), True, way.processes, job.isolation.network, writes,
        edits=tuple((os.path.realpath(e.file), None if e.removed else e.after) for e in job.edits),
        places=tuple(_places(job, environment)), addresses=addresses(), hosts=hosts(base),
    )  # fmt: skip
    return Scratch(base, way), spec


def _places(job: Job, environment: Mapping[str, str]) -> list[str]:
    """The working directory, then every other folder that the command or a variable names."""
    named = [os.path.realpath(value) for value in environment.values() if value.startswith("/")]
    usual = [os.path.realpath(folder) for folder in ("/tmp", "/var/tmp")]
    found = [os.path.realpath(job.cwd), *project_directories(job.command, job.cwd), *named, *usual]
    return [place for place in dict.fromkeys(found) if _writable(place)] or [os.path.realpath(job.cwd)]


def addresses() -> tuple[str, ...]:
    """This machine's own addresses, under which its programs may look for each other."""
    import psutil

    found = [a.address for of_one in psutil.net_if_addrs().values() for a in of_one if a.family == socket.AF_INET]
    return tuple(address for address in found if not address.startswith("127."))


def hosts(base: Path) -> str | None:
    """Launchers look up this machine by its name; without a network, only the table of hosts can answer."""
    name = socket.gethostname()
    try:
        known = Path("/etc/hosts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    if any(name in line.split("#")[0].split()[1:] for line in known.splitlines()):
        return None
    (base / "hosts").write_text(f"{known.rstrip()}\n127.0.0.1 {name}\n")
    return str(base / "hosts")
