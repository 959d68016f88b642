"""Other people's edits: a unified diff or an edited copy of the tree, turned into edits of the user's files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stetho.errors import BadRequest
from stetho.experiment import Edit

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NOWHERE = "/dev/null"
NOT_COMPARED = {".git", ".hg", ".svn", ".stetho", "__pycache__", ".venv", "venv", ".mypy_cache", "node_modules"}
# A copy of a tree may hold data and checkpoints; what is larger than this is no edit of anybody's.
LARGEST = 16 * 1024**2
MOST = 200


@dataclass
class Hunk:
    """One place of one file: the lines that are there and the lines that are to be there."""

    start: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Where it begins, counted from 0; lines that are only added come after the line that is named."""
        return max(0, self.start - 1) if self.old else self.start


@dataclass
class FileChange:
    """What a diff does to one file."""

    old: str
    new: str
    hunks: list[Hunk] = field(default_factory=list)


def from_diff(file: Path, cwd: str) -> tuple[Edit, ...]:
    """The edits of a unified diff, as git, diff and people write them; every hunk must fit."""
    try:
        text = file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise BadRequest(f"{file} cannot be read: {error.strerror}") from error
    changes = list(parsed(text, file))
    if not changes:
        raise BadRequest(f"{file} holds no change: it must be a unified diff, such as git diff or diff -u writes")
    strip = _stripped(changes, cwd, file)
    return tuple(_edit(change, cwd, strip, file) for change in changes)


def parsed(text: str, file: Path) -> Iterator[FileChange]:
    """The changes of a diff, file by file; what stands between them is passed over, as git's own words do."""
    lines = text.splitlines(keepends=True)
    if any(line.startswith(("GIT binary patch", "Binary files ")) for line in lines):
        raise BadRequest(f"{file} changes binary files, which a diff cannot carry here; use --against DIR")
    change: FileChange | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if line.startswith("--- ") and following.startswith("+++ "):
            if change is not None:
                yield change
            change = FileChange(_name(line), _name(following))
            at += 2
        elif change is not None and HUNK.match(line):
            hunk, at = _hunk(lines, at, file)
            change.hunks.append(hunk)
        else:
            at += 1
    if change is not None:
        yield change


def _name(line: str) -> str:
    """The file that a header names, without the time that diff puts behind it."""
    return line[4:].rstrip("\r\n").split("\t")[0].strip().strip('"')


def _hunk(lines: Sequence[str], at: int, file: Path) -> tuple[Hunk, int]:
    head = HUNK.match(lines[at])
    assert head is not None
    old, new = int(head[2] or 1), int(head[4] or 1)
    hunk = Hunk(int(head[1]))
    at += 1
    while at < len(lines) and (len(hunk.old) < old or len(hunk.new) < new):
        mark, rest = lines[at][:1], lines[at][1:]
        # An empty line of context often loses its leading space on the way.
        if mark in (" ", "\n", "\r"):
            rest = rest if mark == " " else lines[at]
            hunk.old.append(rest)
            hunk.new.append(rest)
        elif mark == "-":
            hunk.old.append(rest)
        elif mark == "+":
            hunk.new.append(rest)
        elif mark != "\\":
            raise BadRequest(f"{file}: line {at + 1} is no part of a hunk; the diff seems cut short")
        at += 1
        if at < len(lines) and lines[at].startswith("\\"):
            for side in (hunk.old, hunk.new) if mark == " " else (hunk.old,) if mark == "-" else (hunk.new,):
                side[-1] = side[-1].rstrip("\r\n")
            at += 1
    if len(hunk.old) != old or len(hunk.new) != new:
        raise BadRequest(f"{file}: the diff ends in the middle of a hunk")
    return hunk, at


def _stripped(changes: Sequence[FileChange], cwd: str, file: Path) -> int:
    """How many leading folders the diff's names have too many: as few as make every changed file be there."""
    names = [c.old for c in changes if c.old != NOWHERE]
    most = max((name.count("/") for name in names), default=0)
    depths: tuple[int, ...] = (1, 0, *range(2, most + 1))
    for strip in depths:
        if all(os.path.isfile(_path(name, cwd, strip)) for name in names):
            return strip
    missing = next((n for n in names if not os.path.isfile(_path(n, cwd, 1))), names[0] if names else "")
    raise BadRequest(f"{file} changes {missing}, which is not there; run stetho in the folder that the diff belongs to")


def _path(name: str, cwd: str, strip: int) -> str:
    if os.path.isabs(name) and os.path.isfile(name):
        return name
    parts = name.split("/")
    return os.path.join(cwd, *parts[min(strip, len(parts) - 1) :])


def _edit(change: FileChange, cwd: str, strip: int, file: Path) -> Edit:
    if change.new == NOWHERE:
        raise BadRequest(f"{file} deletes {change.old}; deleting a file cannot be tried, empty it instead")
    target = os.path.realpath(_path(change.new if change.old == NOWHERE else change.old, cwd, strip))
    if not target.startswith(os.path.realpath(cwd) + os.sep):
        raise BadRequest(f"{file} changes {target}, which is outside {cwd}")
    before = "" if change.old == NOWHERE else Path(target).read_bytes().decode("utf-8", "surrogateescape")
    after = _applied(before, change, file)
    return Edit(target, before, after, change.hunks[0].start if change.hunks else 1, f"{file.name}")


def _applied(text: str, change: FileChange, file: Path) -> str:
    """The text with every hunk in it, each at its line or, when lines have moved, at the nearest place that fits."""
    lines = text.splitlines(keepends=True)
    moved = 0
    for hunk in change.hunks:
        at = _found(lines, hunk.old, hunk.first + moved)
        if at is None:
            raise BadRequest(f"{file} does not fit {change.old}: the lines around line {hunk.start} are others by now")
        lines[at : at + len(hunk.old)] = hunk.new
        moved = at + len(hunk.new) - len(hunk.old) - hunk.first
    return "".join(lines)


def _found(lines: Sequence[str], wanted: Sequence[str], near: int) -> int | None:
    places = range(len(lines) - len(wanted) + 1)
    plain = [line.rstrip("\r\n") for line in lines]
    sought = [line.rstrip("\r\n") for line in wanted]
    fitting = [at for at in places if plain[at : at + len(sought)] == sought]
    return min(fitting, key=lambda at: abs(at - near), default=None)


def from_tree(other: Path, cwd: str) -> tuple[Edit, ...]:
    """The edits that make the user's tree the other one; files that are only in the user's stay."""
    if not other.is_dir():
        raise BadRequest(f"{other} is no folder; --against takes an edited copy of this one")
    edits = []
    for name in _files(other):
        new = (other / name).read_bytes()
        mine = Path(cwd, name)
        old = mine.read_bytes() if mine.is_file() else None
        if old != new:
            before = "" if old is None else old.decode("utf-8", "surrogateescape")
            after = new.decode("utf-8", "surrogateescape")
            edits.append(Edit(os.path.realpath(mine), before, after, _first_difference(before, after), str(other)))
    if not edits:
        raise BadRequest(f"{other} does not differ from {cwd}")
    if len(edits) > MOST:
        raise BadRequest(f"{other} differs from {cwd} in {len(edits)} files; is it a copy of this folder?")
    return tuple(edits)


def _files(folder: Path) -> Iterator[str]:
    for inner, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in NOT_COMPARED and not os.path.islink(os.path.join(inner, f)))
        for name in sorted(names):
            path = os.path.join(inner, name)
            if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) <= LARGEST:
                yield os.path.relpath(path, folder)


def _first_difference(before: str, after: str) -> int:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((number for number, (one, two) in enumerate(pairs, 1) if one != two), 1)
