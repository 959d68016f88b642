"""The user's files as a run has them: with what the cures that stay applied have put in their place."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from pathlib import Path

from stetho.experiment import Edit

_applied: ContextVar[tuple[Edit, ...]] = ContextVar("applied", default=())


@contextmanager
def applied(edits: Sequence[Edit]) -> Iterator[None]:
    """Within it, files are read as these edits leave them; on disk they stay as they are."""
    token = _applied.set(tuple(edits))
    try:
        yield
    finally:
        _applied.reset(token)


def content(path: str | Path) -> bytes:
    """What a file holds in the runs that are made now; one that they are without is none."""
    edits = _applied.get()
    real = os.path.realpath(path) if edits else ""
    for one in edits:
        if os.path.realpath(one.file) == real:
            if one.removed:
                raise FileNotFoundError(real)
            return one.after.encode("utf-8", "surrogateescape")
    return Path(path).read_bytes()


def together(first: Sequence[Edit], then: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits and those that were written on top of them, as one edit for each file of the user's."""
    found = {os.path.realpath(one.file): one for one in first}
    for one in then:
        known = found.get(os.path.realpath(one.file))
        if known is not None:
            one = replace(one, before=known.before, why=f"{known.why}; {one.why}", where=(*known.where, *one.where))
        found[os.path.realpath(one.file)] = one
    return tuple(found.values())


def users_line(edit: Edit, line: int) -> int:
    """The line of the user's file that a line of the edited one comes from; for one that is new, the next of theirs."""
    before, after = edit.before.splitlines(), edit.after.splitlines()
    for _, start, end, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if first <= line - 1 < last:
            return min(start + (line - 1 - first), max(start, end - 1)) + 1
    return line


def in_users_lines(text: str, edits: Sequence[Edit], cwd: str) -> str:
    """A text that names lines of edited files, with the lines that they have in the user's own."""
    for one in edits:
        name = os.path.relpath(os.path.realpath(one.file), os.path.realpath(cwd))
        text = re.sub(rf"(?<![\w/.-]){re.escape(name)}:(\d+)", partial(_line_of, one, name), text)
    return text


def _line_of(edit: Edit, name: str, found: re.Match[str]) -> str:
    return f"{name}:{users_line(edit, int(found[1]))}"
