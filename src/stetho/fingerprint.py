"""What makes two runs the same run: the command, its surroundings, every file it could read, and the one change."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

import stetho
from stetho.codec import encode
from stetho.experiment import Job
from stetho.isolation.likeness import not_copied
from stetho.scratch import project_directories

# Files that are read whole; of others, size and time of change tell that they are the same.
READ_WHOLE = (
    ".py", ".pyx", ".sh", ".bash", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".txt", ".conf", ".env", ".gin",
    ".jsonnet", ".csv",
)  # fmt: skip
LARGEST_READ = 256 * 1024
# What tools write beside a program, and what stetho does; the program does not read it, or gets it from its code.
NO_INPUT = {".stetho", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints"}
# With more files than this, looking at all of them costs more than running again may.
MOST_FILES = 20_000
# Variables that say where and when a command was typed, not what it does.
VOLATILE = (
    "PWD", "OLDPWD", "SHLVL", "_", "TERM*", "COLORTERM", "COLUMNS", "LINES", "SSH_*", "DISPLAY", "WAYLAND_*",
    "XDG_SESSION_*", "XDG_RUNTIME_DIR", "DBUS_*", "TMUX*", "STY", "LS_COLORS", "PS1", "PROMPT*", "HIST*", "VSCODE_*",
    "GPG_*", "INVOCATION_ID", "JOURNAL_STREAM", "*_SOCK", "*_PID", "PYTEST_*", "NO_COLOR", "STETHO_SCRATCH",
    "SLURM_JOB*", "WINDOWID",
)  # fmt: skip


def fingerprint(job: Job, environment: Mapping[str, str], aside: Path, where: str = "local") -> str | None:
    """A name that two jobs share only when the second would run the same as the first; None when that costs too much.

    `aside` is where stetho keeps its own files, which are no part of the program; `where` names the executor.
    """
    files = _contents(job, environment, os.path.realpath(aside))
    if files is None:
        return None
    changes = [[name, value, _content(path), _stamp(value)] for name, value, path in job.changes]
    told = {
        "where": where,
        "command": list(job.command),
        "cwd": os.path.realpath(job.cwd),
        "environment": {k: v for k, v in sorted(environment.items()) if not any(fnmatch(k, p) for p in VOLATILE)},
        "differs": dict(job.environment),
        "files": files,
        "interpreter": _interpreter(job.command[0], environment),
        "stetho": [stetho.__version__, _observer()],
        "changes": changes,
        "edits": encode(job.edits),
        "trace": encode(job.trace),
        "seed": job.seed,
        "steps": job.bound.steps,
        "stdin": _content(str(job.stdin)) if job.stdin is not None else None,
        "isolation": encode(job.isolation),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _contents(job: Job, environment: Mapping[str, str], aside: str) -> list[list[str]] | None:
    """Every file of the project, and the code on the path it imports from, each with what tells its content."""
    paths = [p for p in environment.get("PYTHONPATH", "").split(os.pathsep) if p]
    found: list[list[str]] = []
    for folder in project_directories(job.command, job.cwd):
        found += ([path, _told(path)] for path in _files(folder, aside))
        if len(found) > MOST_FILES:
            return None
    for folder in (os.path.realpath(os.path.join(job.cwd, p)) for p in paths):
        found += ([path, _told(path)] for path in _files(folder, aside) if path.endswith(".py"))
        if len(found) > MOST_FILES:
            return None
    return sorted(found)


def _files(folder: str, aside: str) -> Iterator[str]:
    """The files below a folder; links to folders are followed once."""
    seen: set[str] = set()
    count = 0
    for inner, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(inner)
        if real in seen or real == aside:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = [name for name in folders if name not in NO_INPUT and not not_copied(os.path.join(inner, name))]
        for name in names:
            count += 1
            if count > MOST_FILES + 1:
                return
            yield os.path.join(inner, name)


def _told(path: str) -> str:
    small = os.path.splitext(path)[1].lower() in READ_WHOLE or os.path.basename(path).startswith(".env")
    try:
        if small and os.path.getsize(path) <= LARGEST_READ:
            return _content(path)
    except OSError:
        return "gone"
    return _stamp(path)


def _content(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return "unreadable"


def _stamp(path: str) -> str:
    """Size and time of change; empty for what is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def _interpreter(program: str, environment: Mapping[str, str]) -> list[str]:
    """The program that is started, and when packages beside it were last installed or removed."""
    found = shutil.which(program, path=environment.get("PATH"))
    if found is None:
        return []
    packages = Path(found).parent.parent.glob("lib/python*/site-packages")
    return [found, _stamp(os.path.realpath(found)), *(_stamp(str(p)) for p in sorted(packages))]


def _observer() -> str:
    """The observer's own code: a newer one may record other things."""
    return digest(sorted((Path(__file__).parent / "observer").rglob("*.py")))


def digest(files: Iterable[Path]) -> str:
    """One name for the contents of files."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.name.encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()
