"""The shapes of a log's lines: each is understood when it is first met, and from then on found by a look-up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from stetho.phrase import Phrase
from stetho.text import grammar, grid, tracebacks
from stetho.text.even import shown
from stetho.text.extraction import Extraction

if TYPE_CHECKING:
    from stetho.series import Whole

# Beyond these, a log is prose: shapes that say nothing are forgotten, and the rest share one.
MOST = 1 << 15
MOST_TELLING = 1 << 16
WARNING = re.compile(rb"Warning: |\bWARNING\b|\bWARN\b|\bWarning\b|^\[W0? ?0?[0: .]* ")
# What a shell shows of what it is about to run is not said by the program.
SHELL = re.compile(rb"\++ \S")
# The place at which a warning was raised is no part of what it says.
NOTHING = 0


@dataclass(frozen=True, eq=False)
class Shape:
    """What is known of every line of one shape."""

    shown: bytes
    plan: grammar.Plan
    phrases: tuple[str, ...] = ()
    warns: bool = False
    opens: bool = False
    """It begins a traceback, or stands in one."""
    speaks: bool = False
    """It is output of the program: not blank, not indented, not a launcher's farewell."""
    section: bytes | None = None
    """The section of a table that it begins; empty for a table's frame."""
    extraction: Extraction | None = None
    heads: bool = False
    """It may be the names of a table's columns."""
    cells: grid.Cells | None = None
    """What stands in the columns, when it may be a row of a table whose names stand above it."""

    @property
    def telling(self) -> bool:
        said = self.plan.counts or bool(self.phrases) or self.warns or self.opens or self.section is not None
        return said or self.heads or self.cells is not None

    def below(self, names: grid.Names) -> Shape:
        """The same lines where they stand below these names."""
        plan = grid.plan(self.cells or (), names)
        return replace(self, plan=plan, extraction=Extraction(self.shown, plan) if plan.counts else None, cells=None)


class Vocabulary:
    """The phrases that are listened for, and a pattern for their words: most lines have none of them."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.phrases = tuple(phrases)
        self.farewells = {phrase.id for phrase in phrases if phrase.farewell}
        words = sorted({word for phrase in phrases for word in phrase.encoded})
        self.words = re.compile(_any_of(words) or b"(?!)")

    def said_in(self, line: bytes) -> tuple[str, ...]:
        """What an evened line says."""
        lower = line.lower()
        if self.words.search(lower) is None:
            return ()
        begin = grammar.speaker_of(line)[1]
        decoded = line[begin:].decode("utf-8", "backslashreplace")
        hit = [phrase for phrase in self.phrases if any(word in lower for word in phrase.encoded)]
        return tuple(phrase.id for phrase in hit if phrase.said_in(decoded))


def _any_of(words: Sequence[bytes], shared: int = 2) -> bytes:
    """A pattern for any of some words that shares their first letters, which is many times as fast."""
    if b"" in words:
        return b""
    if not shared:
        return b"(?:" + b"|".join(map(re.escape, words)) + b")"
    rest: dict[bytes, list[bytes]] = {}
    for word in words:
        rest.setdefault(word[:1], []).append(word[1:])
    return (
        b"(?:"
        + b"|".join(re.escape(first) + _any_of(tails, shared - 1) for first, tails in sorted(rest.items()))
        + b")"
    )


@lru_cache(maxsize=4)
def vocabulary_of(phrases: tuple[Phrase, ...]) -> Vocabulary:
    """The vocabulary of some phrases, made once: a folder can hold thousands of small texts."""
    return Vocabulary(phrases)


class Shapes(dict[bytes, int]):
    """Codes of shapes by their coded lines; a line that is new is understood on the spot."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        super().__init__()
        self.vocabulary = vocabulary_of(tuple(phrases))
        self.known = [Shape(b"", grammar.Plan())]
        self.forgotten = 0

    def __missing__(self, coded: bytes) -> int:
        shape = self.understand(shown(coded))
        if not shape.telling:
            if not shape.speaks:
                # Indented, as source and dumps are, or blank: there can be any number, and none says a thing.
                code = NOTHING
                if len(self) < MOST:
                    self[coded] = code
                return code
            if len(self) >= MOST:
                self.forgotten += 1
                return self._prose()
        elif len(self.known) >= MOST_TELLING:
            self.forgotten += 1
            return self._prose()
        self.known.append(shape)
        self[coded] = len(self.known) - 1
        return len(self.known) - 1

    def _prose(self) -> int:
        """The one shape of all lines that are too many to tell apart."""
        if b"\xff\xff" not in self:
            self.known.append(Shape(b"", grammar.Plan(), speaks=True))
            self[b"\xff\xff"] = len(self.known) - 1
        return self[b"\xff\xff"]

    def understand(self, line: bytes) -> Shape:
        """Everything that an evened line says; it depends on nothing else."""
        return understand(line, self.vocabulary)


def understand(line: bytes, vocabulary: Vocabulary) -> Shape:
    said = vocabulary.said_in(line)
    opens = any(word in line for word in tracebacks.WORDS) and tracebacks.OPENS.search(line) is not None
    section = _section(line)
    plan = grammar.Plan() if opens or section is not None else grammar.read(line)
    indented = line[:1] in (b" ", b"") or not line.strip()
    plain = not opens and section is None and not plan.row
    return Shape(
        line,
        plan,
        said,
        warns=(b"arn" in line or b"WARN" in line or line.startswith(b"[W")) and WARNING.search(line) is not None,
        opens=opens,
        speaks=not indented and not vocabulary.farewells.intersection(said) and not SHELL.match(line),
        section=section,
        extraction=Extraction(line, plan) if plan.counts or plan.stamp is not None else None,
        heads=plain and grid.may_head(line),
        cells=grid.cells(line) if plain else None,
    )


def _section(line: bytes) -> bytes | None:
    if grammar.FRAME.match(line):
        return b""
    if line.startswith(b"|"):
        row = grammar.ROW.match(line)
        if row is not None and not row[3] and row[2].endswith(b"/"):
            return row[2]
    return None


def ranks_of(shape: Shape, raw: Whole, starts: Whole) -> Whole | None:
    """The rank that each of many lines of a shape names, where it stands at the same place in all of them."""
    import numpy as np

    span = shape.plan.speaker
    if span is None or re.search(rb"[0 ]", shape.shown[: span[0]]):
        return None
    at, value = starts + span[0], np.zeros(len(starts), np.int64)
    going = np.ones(len(starts), np.bool_)
    for digit in range(6):
        byte = raw[np.minimum(at + digit, len(raw) - 1)].astype(np.int64) - 48
        going &= (byte >= 0) & (byte <= 9)
        if digit == 0 and not going.all():
            return None
        if not going.any():
            break
        value = np.where(going, value * 10 + byte, value)
    return value
