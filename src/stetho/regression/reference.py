"""What was named as good: an earlier case, a commit, another folder, another file or another command line."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from stetho import snapshot
from stetho.case import LEDGER, Case, open_case
from stetho.errors import BadRequest, UnknownName
from stetho.patch import LARGEST, MOST, NOT_COMPARED
from stetho.regression.history import Commit, Repository
from stetho.snapshot import Snapshot
from stetho.store import print_of

Kind: TypeAlias = Literal["case", "commit", "folder", "file", "command"]
Files: TypeAlias = Mapping[str, "bytes | None"]
"""Files as they were when it worked, by their whole paths; None for one that was not there."""


@dataclass(frozen=True)
class Reference:
    """A run that was fine, as far as it can be had again: its command, and the files that were others then."""

    kind: Kind
    given: str
    label: str
    command: tuple[str, ...]
    files: Files = field(default_factory=dict, repr=False)
    case: Case | None = None
    folder: str | None = None
    snapshot: Snapshot | None = field(default=None, repr=False)
    repository: Repository | None = field(default=None, repr=False)
    commit: str = ""
    commits: tuple[Commit, ...] = ()
    """Those made since, oldest first."""
    untouched: tuple[str, ...] = ()
    """Files that differ and are too large to be undone."""

    @property
    def lasting(self) -> str:
        """A name that means the same later on, when there are newer cases and commits."""
        return str(self.case.path) if self.case is not None else self.commit or self.given

    @property
    def like(self) -> str:
        """Why a file is edited to be as it was."""
        return f"as in {self.label}"


def resolve(given: str, command: Sequence[str], cwd: str, root: Path) -> Reference:
    """What a word after `--good` means; folders and files go first, then cases, commits and command lines."""
    mine, path = tuple(command), os.path.join(cwd, os.path.expanduser(given))
    if os.path.isfile(os.path.join(path, LEDGER)):
        return _of_case(open_case(root, path), given, cwd)
    if os.path.isdir(path):
        return _of_folder(given, path, mine, cwd)
    if os.path.isfile(path):
        return _of_file(given, path, mine, cwd)
    try:
        return _of_case(open_case(root, given), given, cwd)
    except UnknownName as unknown:
        near = unknown
    repository = Repository.of(cwd)
    commit = repository.commit(given) if repository is not None else None
    if repository is not None and commit is not None:
        return _of_commit(repository, commit, given, mine)
    words = _words(given)
    if len(words) > 1 and shutil.which(words[0]) is not None:
        if words == mine:
            raise BadRequest(f"--good {given}: this is the command itself; give the one that worked")
        return Reference("command", given, shlex.join(words), words)
    if given.isdigit():
        raise BadRequest(f"--good {given}: {near}")
    raise BadRequest(f"--good {given}: it is no case, commit, branch, tag, folder, file or command line here")


def _words(given: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(given))
    except ValueError:
        return ()


def _of_commit(repository: Repository, commit: Commit, given: str, command: tuple[str, ...]) -> Reference:
    files = repository.files(commit)
    label = f"commit {commit}"
    if not any(differs(path, data) for path, data in files.items()):
        raise BadRequest(
            f"--good {given}: no file that git keeps was another one then; what differs is elsewhere: data, packages "
            "or the machine"
        )
    commits = tuple(repository.since(commit))
    return Reference(
        "commit", given, label, command, files, repository=repository, commit=commit.id, commits=commits
    )  # fmt: skip


def _of_folder(given: str, path: str, command: tuple[str, ...], cwd: str) -> Reference:
    folder, here = os.path.realpath(path), os.path.realpath(cwd)
    if folder == here:
        raise BadRequest(f"--good {given}: this is the folder itself; give a copy of it that works")
    files: dict[str, bytes | None] = {}
    large: list[str] = []
    for name in _names(folder):
        there, mine = os.path.join(folder, name), os.path.join(here, name)
        if _alike(there, mine):
            continue
        if os.path.getsize(there) > LARGEST:
            large.append(name)
        else:
            files[mine] = Path(there).read_bytes()
    if not files and not large:
        raise BadRequest(f"--good {given}: no file in it differs from the one here")
    if len(files) > MOST:
        raise BadRequest(f"--good {given}: {len(files)} files differ from those here; is it a copy of this folder?")
    label = f"folder {os.path.relpath(folder, here)}"
    return Reference("folder", given, label, command, files, folder=folder, untouched=tuple(large))


def _names(folder: str) -> Iterator[str]:
    for inner, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in NOT_COMPARED and not os.path.islink(os.path.join(inner, f)))
        for name in sorted(names):
            path = os.path.join(inner, name)
            if not os.path.islink(path) and os.path.isfile(path):
                yield os.path.relpath(path, folder)


def _alike(one: str, other: str) -> bool:
    try:
        if os.path.getsize(one) != os.path.getsize(other):
            return False
        if os.path.getsize(one) > LARGEST:
            return print_of(one) == print_of(other)
        return Path(one).read_bytes() == Path(other).read_bytes()
    except OSError:
        return False


def _of_file(given: str, path: str, command: tuple[str, ...], cwd: str) -> Reference:
    """A script or a configuration that takes the place of the one in the command."""
    path = os.path.realpath(path)
    named = [(word, os.path.realpath(os.path.join(cwd, word.split("=", 1)[-1]))) for word in command[1:]]
    suffix = os.path.splitext(path)[1]
    alike = {file: word for word, file in named if os.path.isfile(file) and os.path.splitext(file)[1] == suffix}
    same_name = [file for file in alike if os.path.basename(file) == os.path.basename(path)]
    found = same_name if len(same_name) == 1 else list(alike)
    if len(found) != 1:
        which = "names no file" if not found else f"names {len(found)} files"
        raise BadRequest(f"--good {given}: the command {which} like it ({suffix or 'no suffix'}) that it could replace")
    if os.path.getsize(path) > LARGEST:
        raise BadRequest(f"--good {given}: it is larger than {LARGEST >> 20} MB")
    data = Path(path).read_bytes()
    if path == found[0] or not differs(found[0], data):
        raise BadRequest(f"--good {given}: it does not differ from {alike[found[0]]}")
    label = f"{os.path.relpath(path, cwd)} for {os.path.relpath(found[0], cwd)}"
    return Reference("file", given, label, command, {found[0]: data})


def _of_case(case: Case, given: str, cwd: str) -> Reference:
    """A run that was made before; what its project was like is in the case, or not known."""
    with case.open_ledger(read_only=True) as ledger:
        request = ledger.request()
        ran = any(one.fact == "run-end" and one.run == "base" for one in ledger.evidence())
    if request is None or not request.command or not ran:
        raise BadRequest(f"--good {given}: case {case.id} holds no run of a command to compare with")
    known = snapshot.read(case.path)
    repository = Repository.of(cwd) if known is not None and known.commit else None
    commit = repository.commit(known.commit or "") if repository is not None and known is not None else None
    commits = tuple(repository.since(commit)) if repository is not None and commit is not None else ()
    files = _then(known, cwd) if known is not None else {}
    return Reference(
        "case", given, f"case {case.id}", request.command, files, case,
        snapshot=known, repository=repository, commits=commits,
    )  # fmt: skip


def _then(known: Snapshot, cwd: str) -> dict[str, bytes | None]:
    whole = {os.path.realpath(os.path.join(cwd, name)): data for name, data in known.files.items()}
    return {path: data for path, data in whole.items() if differs(path, data)}


def differs(path: str, data: bytes | None) -> bool:
    """Whether a file is another one now."""
    return on_disk(path) != data


def on_disk(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes() if os.path.isfile(path) else None
    except OSError:
        return None


def only_now(reference: Reference, used: Sequence[str], cwd: str) -> dict[str, bytes | None]:
    """Files that the failing run has read and that were not there then, as a cache or a checkpoint that was left."""
    here = os.path.realpath(cwd)
    new: dict[str, bytes | None] = {}
    for name in used:
        path = os.path.realpath(os.path.join(here, name))
        inner = os.path.relpath(path, here)
        if inner.startswith(os.pardir) or not os.path.isfile(path) or path in reference.files:
            continue
        if reference.folder is not None and not os.path.lexists(os.path.join(reference.folder, inner)):
            new[path] = None
        elif reference.snapshot is not None and reference.snapshot.files and inner not in reference.snapshot.files:
            new.update({path: None} if snapshot.kept(path) else {})
    return new
