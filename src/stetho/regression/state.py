"""A project with some of its differences undone: the edits and the command that make a run of it."""

from __future__ import annotations

import ast
import difflib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from stetho.experiment import Edit
from stetho.regression import arguments, pieces
from stetho.regression.arguments import Argument
from stetho.regression.pieces import Piece, starts_of
from stetho.regression.reference import Files, on_disk
from stetho.source.code import lines_of

Difference: TypeAlias = Piece | Argument
LONGEST = 20


@dataclass(frozen=True)
class State:
    """One version of the project: files that are others than on disk, and the command."""

    edits: tuple[Edit, ...]
    command: tuple[str, ...]


def text_of(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def edits_of(files: Files, why: str) -> tuple[Edit, ...]:
    """The edits that put files in the place of those on disk; what is there already needs none."""
    found = []
    for path, data in sorted(files.items()):
        before, after = text_of(on_disk(path)), text_of(data)
        if before != after:
            line = _first_line(before or "", after or "")
            found.append(Edit(path, before or "", after or "", line, why, removed=after is None))
    return tuple(found)


def _first_line(before: str, after: str) -> int:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((number for number, (one, two) in enumerate(pairs, 1) if one != two), 1)


def differences(now: Files, then: Files, command: Sequence[str], good: Sequence[str]) -> list[Difference]:
    """What differs between two versions: options first, then file by file, data and settings before code."""
    found: list[Piece] = []
    for path in {**now, **then}:
        ours, theirs = (text_of(side[path] if path in side else on_disk(path)) for side in (now, then))
        if ours != theirs:
            found.append(pieces.between(path, ours, theirs))
    found.sort(key=lambda one: (("config", "data", "code").index(one.kind), one.file))
    return [*arguments.between(command, good), *found]


def without(chosen: Iterable[Difference], now: Files, command: Sequence[str], why: str) -> State:
    """The version that fails, with some differences undone."""
    gone = list(chosen)
    by_file: dict[str, list[Piece]] = {}
    for one in gone:
        if isinstance(one, Piece):
            by_file.setdefault(one.file, []).append(one)
    files: dict[str, bytes | None] = dict(now)
    for path, own in by_file.items():
        text = pieces.undone(text_of(now[path] if path in now else on_disk(path)), own)
        files[path] = None if text is None else text.encode("utf-8", "surrogateescape")
    words = arguments.undone(command, [one for one in gone if isinstance(one, Argument)])
    return State(edits_of(files, why), words)


def broken(state: State) -> str:
    """Why a version cannot even be read, as half of a change may not; empty when it can, or nobody knows."""
    for edit in state.edits:
        try:
            if edit.file.endswith(".py") and not edit.removed:
                ast.parse(edit.after)
            elif edit.file.endswith(".json") and not edit.removed and _is_json(edit.before):
                json.loads(edit.after)
        except (SyntaxError, ValueError, RecursionError) as error:
            return f"{os.path.basename(edit.file)} cannot be read: {error}"
    return ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def finer(found: Sequence[Difference]) -> list[Difference]:
    """The same differences in smaller pieces, where they have some."""
    return [small for one in found for small in (pieces.finer(one) if isinstance(one, Piece) else [one])]


def names(found: Iterable[Difference], cwd: str) -> str:
    """Which they are, in a few words."""
    parts: dict[str, list[str]] = {}
    for one in found:
        where = os.path.relpath(one.file, cwd) if isinstance(one, Piece) else "command"
        at = str(one.line) if isinstance(one, Piece) and one.size != "file" else ""
        if isinstance(one, Piece) and one.size == "word":
            at += f" {' '.join(((one.now or '').strip() or one.then or '').split())[:LONGEST]}"
        at = " ".join(one.now or one.then) if isinstance(one, Argument) else at
        parts.setdefault(where, []).append(at)
    told = [
        f"{where}{':' if any(at) else ''}{','.join(dict.fromkeys(filter(None, at)))}" for where, at in parts.items()
    ]
    return " ".join(told[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "")


def carried(piece: Piece, now: Files) -> Piece | None:
    """A piece of an earlier version, found again in the file on disk; None where its lines are others by now."""
    if piece.file not in now:
        return piece
    then, disk = text_of(now[piece.file]), text_of(on_disk(piece.file))
    if then == disk:
        return piece
    if then is None or disk is None or piece.then is None:
        return None
    first = then.rfind("\n", 0, piece.start) + 1
    last = then.find("\n", piece.end)
    last = len(then) if last < 0 else last + 1
    old, new = lines_of(then), lines_of(disk)
    starts, there = starts_of(old), starts_of(new)
    for a, b, size in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if size and starts[a] <= first and last <= starts[a + size]:
            moved = there[b] - starts[a]
            line = piece.line + disk.count("\n", 0, first + moved) - then.count("\n", 0, first)
            return replace(piece, start=piece.start + moved, end=piece.end + moved, line=line)
    return None
