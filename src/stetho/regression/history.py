"""What git knows of a project: commits by any name, those since then, and files as they were. Nothing is written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stetho.errors import BadRequest

SECONDS = 30
LINK, MODULE = "120000", "160000"
# What git keeps in the place of a large file that lies elsewhere.
POINTER = b"version https://git-lfs"


@dataclass(frozen=True)
class Commit:
    """One state of the project."""

    id: str
    title: str

    @property
    def short(self) -> str:
        return self.id[:8]

    def __str__(self) -> str:
        return f"{self.short} ({self.title})" if self.title else self.short


class Repository:
    """The repository that a folder belongs to."""

    def __init__(self, root: str) -> None:
        self.root = root

    @classmethod
    def of(cls, folder: str) -> Repository | None:
        """None where the folder belongs to none, or git is not here."""
        root = _git(folder, "rev-parse", "--show-toplevel")
        return cls(os.path.realpath(os.fsdecode(root.rstrip(b"\n")))) if root else None

    def commit(self, name: str) -> Commit | None:
        """The commit that a name means: an id, branch, tag, `HEAD~3` or `main@{yesterday}`."""
        if not name or name.startswith("-"):
            return None
        id = _git(self.root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return self._told(id.decode().strip()) if id else None

    def _told(self, id: str) -> Commit:
        title = _git(self.root, "log", "-1", "--format=%s", id)
        return Commit(id, title.decode("utf-8", "replace").strip()[:80])

    def since(self, good: Commit) -> list[Commit]:
        """The commits after that one, oldest first; none where it is no ancestor, as a commit of another branch."""
        found = _git(self.root, "rev-list", "--first-parent", "--reverse", f"{good.id}..HEAD").decode().split()
        base = _git(self.root, "merge-base", good.id, "HEAD").decode().strip()
        return [self._told(id) for id in found] if base == good.id else []

    def files(self, commit: Commit) -> dict[str, bytes | None]:
        """The files that were others then, as they were: None for those that were not there."""
        found: dict[str, bytes | None] = {}
        for path, mode, blob in self._changed(commit):
            data = None if blob is None else _git(self.root, "cat-file", "blob", blob)
            if mode not in (LINK, MODULE) and not (data or b"").startswith(POINTER):
                found[os.path.join(self.root, path)] = data
        return found

    def _changed(self, commit: Commit) -> Iterator[tuple[str, str, str | None]]:
        """Path, mode and blob of every tracked file that is another one by now; no blob where it was not there."""
        words = _git(self.root, "diff", "--raw", "-z", "--no-renames", "--no-abbrev", commit.id).split(b"\0")
        for head, path in zip(words[::2], words[1::2], strict=False):
            old, new, blob = os.fsdecode(head).lstrip(":").split(" ")[:3]
            absent = old == "000000"
            yield os.fsdecode(path), new if absent else old, None if absent else blob

    def changed_by(self, commit: Commit) -> list[str]:
        """The files that a commit changed, beside its first parent."""
        told = _git(self.root, "diff", "--name-only", "-z", "--no-renames", f"{commit.id}~1", commit.id)
        return [os.path.join(self.root, os.fsdecode(name)) for name in told.split(b"\0") if name]


def _git(folder: str, *words: str) -> bytes:
    """What git prints; nothing where it fails. It may not lock, page, call out or ask for a password."""
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}
    outside = [arg for arg in words if arg == "diff"] and ["--no-ext-diff", "--no-textconv"]
    command = ["git", "-c", "core.fsmonitor=false", words[0], *outside, *words[1:]]
    try:
        done = subprocess.run(
            command, check=False, cwd=folder, env={**os.environ, **quiet}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS,
        )  # fmt: skip
    except FileNotFoundError:
        return b""
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadRequest(f"git {words[0]} gave no answer in {folder}: {error}") from error
    return done.stdout if done.returncode == 0 else b""


def restricted(files: dict[str, bytes | None], folder: str, used: Iterable[str], most: int) -> dict[str, bytes | None]:
    """Of very many files, those below a folder and those that the run has used."""
    if len(files) <= most:
        return files
    wanted = {os.path.realpath(os.path.join(folder, name)) for name in used}
    inside = os.path.realpath(folder) + os.sep
    return {path: data for path, data in files.items() if path.startswith(inside) or path in wanted}
