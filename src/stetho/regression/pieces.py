"""Differences between two versions of a file, in pieces that can be undone one by one and split into smaller ones."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from stetho.source.code import lines_of

Kind: TypeAlias = Literal["code", "config", "data"]
Size: TypeAlias = Literal["file", "hunk", "line", "word"]
Change: TypeAlias = tuple[int, int, str]
"""Where a stretch begins and ends, and what stood there."""
SIZES: tuple[Size, ...] = ("file", "hunk", "line", "word")
CONFIGS = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env")
CODE = (".py", ".pyx", ".ipynb", ".sh", ".bash", ".cu", ".cpp", ".c", ".h")
# A number with its sign of an exponent is one word; so is a name.
WORD = re.compile(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\w+|\s+|.", re.DOTALL)
# Aligning longer texts line by line takes longer than running with the whole file undone.
MOST_LINES = 20_000


@dataclass(frozen=True)
class Piece:
    """One difference: a stretch of a file that fails, and what stood there when it worked."""

    file: str
    kind: Kind
    size: Size
    line: int
    """Where it begins in the file that fails."""
    start: int
    end: int
    now: str | None
    """What the stretch holds; None where there is no such file."""
    then: str | None
    order: int = 0
    """Of several that put something in at one place, which comes first."""


def kind_of(file: str) -> Kind:
    name = os.path.basename(file).lower()
    if name.endswith(CODE):
        return "code"
    return "config" if name.endswith(CONFIGS) else "data"


def between(file: str, now: str | None, then: str | None) -> Piece:
    """The whole of a file that differs."""
    return Piece(file, kind_of(file), "file", 1, 0, len(now or ""), now, then)


def is_text(text: str | None) -> bool:
    """Whether a file can be taken apart: it is there, and no bytes of it are beyond text."""
    return text is not None and "\0" not in text and not any("\udc80" <= letter <= "\udcff" for letter in text)


def undone(text: str | None, pieces: Iterable[Piece]) -> str | None:
    """A file with pieces of it as they were when it worked; None where it was not there."""
    for piece in sorted(pieces, key=lambda one: (one.start, one.order), reverse=True):
        if text is None or piece.then is None:
            return piece.then
        text = text[: piece.start] + piece.then + text[piece.end :]
    return text


def finer(piece: Piece) -> list[Piece]:
    """The same difference in smaller pieces; itself, as narrow as it gets, where it is only one."""
    for size, split in SPLITS[SIZES.index(piece.size) :]:
        found = list(_split(piece, size, split))
        if len(found) > 1:
            return found
        piece = found[0] if found else piece
    return [piece]


def _split(piece: Piece, size: Size, split: Callable[[str, str], list[Change]]) -> Iterator[Piece]:
    now, then = piece.now, piece.then
    if now is None or then is None or not is_text(now) or not is_text(then):
        return
    for number, (start, end, new) in enumerate(split(now, then)):
        line, order = piece.line + now.count("\n", 0, start), piece.order + number
        places = (piece.start + start, piece.start + end)
        yield Piece(piece.file, piece.kind, size, line, *places, now[start:end], new, order)


def _hunks(now: str, then: str) -> list[Change]:
    old, new = lines_of(now), lines_of(then)
    return list(_changes(old, new)) if len(old) + len(new) <= MOST_LINES else [(0, len(now), then)]


def _lines(now: str, then: str) -> list[Change]:
    """Each line by itself; where lines were joined or split, the words that differ, by the line they stand on."""
    old, new = lines_of(now), lines_of(then)
    if len(old) == len(new):
        starts = starts_of(old)
        return [(at, at + len(a), b) for at, a, b in zip(starts, old, new, strict=False) if a != b]
    if not now:
        return [(0, 0, line) for line in new]
    if not then:
        return [(at, at + len(line), "") for at, line in zip(starts_of(old), old, strict=False)]
    grouped: dict[int, Change] = {}
    for start, end, text in _words(now, then):
        line = now.count("\n", 0, start)
        if line in grouped:
            first, last, before = grouped[line]
            text, start = before + now[last:start] + text, first
        grouped[line] = (start, end, text)
    return list(grouped.values())


def _words(now: str, then: str) -> list[Change]:
    return list(_changes(WORD.findall(now), WORD.findall(then)))


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """The stretches that differ, by where they lie in the old text, with what the new one has there."""
    starts = starts_of(old)
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield starts[a], starts[b], "".join(new[c:d])


def starts_of(parts: Sequence[str]) -> list[int]:
    """Where each part begins, and where the last one ends."""
    places = [0]
    for part in parts:
        places.append(places[-1] + len(part))
    return places


SPLITS: tuple[tuple[Size, Callable[[str, str], list[Change]]], ...] = (
    ("hunk", _hunks),
    ("line", _lines),
    ("word", _words),
)
