"""A place where a command can run for real and touch nothing of the user's.

Where the kernel allows it, the user's directories are overlaid in a private namespace: same paths, every
write to a scratch directory. Elsewhere the project is copied and the command is pointed at the copy.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stetho.errors import ScratchError
from stetho.experiment import Edit, Job

ISOLATE = Path(__file__).parent / "executors" / "isolate.py"
# A scratch copy larger than this would cost more than the answer is worth.
LARGEST_COPY = 4 * 1024**3
NOT_COPIED = (".git", ".stetho", "__pycache__", ".venv", "venv", ".mypy_cache", "node_modules")


@dataclass(frozen=True)
class Scratch:
    """Where one run happens: what to start, in which directory, and how its paths map back to the user's."""

    base: Path
    command: tuple[str, ...]
    cwd: str
    renamed: tuple[tuple[str, str], ...] = ()
    overlay: bool = True

    @property
    def recording(self) -> Path:
        return self.base / "recording"

    def discard(self) -> None:
        discard(self.base)


def discard(folder: Path) -> None:
    """Throw a scratch away; overlay work directories need their mode bits back first."""
    for inner, _, _ in os.walk(folder):
        if os.path.basename(inner) == "work":
            os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


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


def _base_outside(protected: list[str]) -> str | None:
    candidates = (os.environ.get("STETHO_SCRATCH"), "/var/tmp", "~/.cache", tempfile.gettempdir(), "/dev/shm")
    for candidate in candidates:
        path = os.path.realpath(os.path.expanduser(candidate)) if candidate else ""
        if path and _writable(path) and not any(inside(path, p) for p in protected):
            return path
    return None


def _protected(command: Sequence[str], cwd: str) -> tuple[list[str], str]:
    """What to overlay and where the scratch can live: the project always, home and temporary files if possible."""
    project = project_directories(command, cwd)
    beside = [os.path.realpath(p) for p in (os.path.expanduser("~"), tempfile.gettempdir()) if _writable(p)]
    for wanted in (project + beside, project + beside[:1], project):
        chosen = _outermost([p for p in wanted if p != os.sep])
        base = _base_outside(chosen)
        if base is not None:
            return chosen, base
    raise ScratchError("no writable directory outside the project for a scratch copy; set STETHO_SCRATCH to one")


@cache
def overlay_works() -> bool:
    """Whether this machine lets an ordinary process overlay its own view of a directory."""
    if not sys.platform.startswith("linux"):
        return False
    with tempfile.TemporaryDirectory(prefix="stetho-") as folder:
        spec = _spec(Path(folder), ["true"], folder, [])
        below = Path(folder) / "lower"
        below.mkdir()
        spec["protect"] = [_overlay(Path(folder), 0, str(below))]
        return _started(Path(folder), spec) == 0


def _started(folder: Path, spec: dict[str, object]) -> int:
    file = folder / "spec.json"
    file.write_text(json.dumps(spec))
    try:
        command = [sys.executable, "-I", str(ISOLATE), str(file)]
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return 1


def _spec(base: Path, command: Sequence[str], cwd: str, protect: list[str]) -> dict[str, object]:
    entries = [_overlay(base, i, d) for i, d in enumerate(protect)]
    return {"command": list(command), "cwd": cwd, "environment": dict(os.environ), "protect": entries}


def _overlay(base: Path, number: int, directory: str) -> dict[str, str]:
    upper, work = base / f"upper{number}", base / f"work{number}"
    upper.mkdir(parents=True)
    work.mkdir()
    return {"directory": directory, "upper": str(upper), "work": str(work)}


def make(job: Job, environment: dict[str, str], *, copy: bool = False) -> Scratch:
    """A scratch for one run, with the edits applied in it: an overlay where it works, a copy where it does not."""
    command, cwd, edits = job.command, job.cwd, job.edits
    protected, outside = _protected(command, cwd)
    sweep(outside)
    base = Path(tempfile.mkdtemp(prefix=f"stetho-{os.getpid()}-", dir=outside))
    (base / "recording").mkdir()
    if overlay_works() and not copy:
        spec = _spec(base, command, cwd, protected)
        spec["environment"] = environment
        _edit_above(spec, edits)
        (base / "spec.json").write_text(json.dumps(spec, ensure_ascii=True))
        return Scratch(base, (sys.executable, "-I", str(ISOLATE), str(base / "spec.json")), cwd)
    return _copied(base, command, cwd, edits, environment)


def sweep(outside: str) -> None:
    """Remove scratches whose owner was killed before it could."""
    for folder in Path(outside).glob("stetho-*-*"):
        owner = folder.name.split("-")[1]
        if owner.isdigit() and not os.path.exists(f"/proc/{owner}") and os.access(folder, os.W_OK):
            discard(folder)


def _edit_above(spec: dict[str, object], edits: Sequence[Edit]) -> None:
    """Put edited files into the upper layers, where they hide the originals."""
    for edit in edits:
        for entry in spec["protect"]:  # type: ignore[attr-defined]
            if inside(os.path.realpath(edit.file), entry["directory"]):
                target = Path(entry["upper"]) / os.path.relpath(os.path.realpath(edit.file), entry["directory"])
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copymode(edit.file, _written(target, edit.after))
                _same_modes(target.parent, Path(edit.file).parent, Path(entry["upper"]))


def _same_modes(made: Path, original: Path, stop: Path) -> None:
    while made != stop and inside(str(made), str(stop)):
        shutil.copymode(original, made)
        made, original = made.parent, original.parent


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return path


def _copied(
    base: Path, command: Sequence[str], cwd: str, edits: Sequence[Edit], environment: dict[str, str]
) -> Scratch:
    renamed: list[tuple[str, str]] = []
    for number, directory in enumerate(project_directories(command, cwd)):
        size = sum(f.stat().st_size for f in Path(directory).rglob("*") if f.is_file() and not f.is_symlink())
        if size > LARGEST_COPY:
            shutil.rmtree(base, ignore_errors=True)
            raise ScratchError(
                f"{directory} holds {size / 1e9:.1f} GB, too much for a scratch copy, and this machine allows no "
                "overlay (user namespaces); run in a smaller directory"
            )
        copy = str(base / f"copy{number}")
        shutil.copytree(directory, copy, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
        renamed.append((copy, directory))

    def moved(text: str) -> str:
        for copy, original in renamed:
            text = text.replace(original, copy)
        return text

    for edit in edits:
        _written(Path(moved(os.path.realpath(edit.file))), edit.after)
    (base / "temporary").mkdir()
    environment = {**environment, "TMPDIR": str(base / "temporary"), "HOME": environment.get("HOME", "/")}
    spec = _spec(base, [command[0], *map(moved, command[1:])], moved(os.path.realpath(cwd)), [])
    spec["environment"] = environment
    (base / "spec.json").write_text(json.dumps(spec, ensure_ascii=True))
    start = (sys.executable, "-I", str(ISOLATE), str(base / "spec.json"))
    return Scratch(base, start, cwd, tuple(renamed), overlay=False)
