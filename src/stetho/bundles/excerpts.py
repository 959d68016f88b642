"""What a person wants to see of a text file: all of a short one; of a long one its head, its end, and what surrounds
the lines that a reader pointed at."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stetho import codec
from stetho.artifact import LONGEST
from stetho.evidence import Json
from stetho.reader import Piece, Reading
from stetho.redaction import MARK
from stetho.series import Series

if TYPE_CHECKING:
    from stetho.artifact import Artifact
    from stetho.bundles.cover import Cover

# Of what may be kept of a file, the share of its head, and of its end.
HEAD, END = 0.25, 0.5
# Lines before and after each that a reader pointed at.
BEFORE, AFTER = 20, 10
# Bytes that are read of a line; what is longer is passed over, and what is written is shorter, so that no secret is
# cut in two and shown.
WHOLE_LINE = 4 * LONGEST
KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----")
KEY_SAID, KEY_ENDS = b"PRIVATE KEY-----", b"-----END "
# A key that does not end is no longer than this.
LONGEST_KEY = 400
PLACES = ("line", "last_line", "log_line", "after_line", "before_line", "lines", "first_at", "last_at")


@dataclass(frozen=True)
class Excerpt:
    """Some of a text, ready to be handed on."""

    text: bytes
    cut: str = ""
    """What was left out; empty for nothing."""


def numbered(artifact: Artifact) -> Iterator[tuple[int, bytes, bool]]:
    """The lines of a text with their numbers, each no longer than can be borne, and whether it is inside a key."""
    inside = 0
    try:
        with artifact.opened() as opened:
            handle = io.BufferedReader(opened) if isinstance(opened, io.RawIOBase) else opened
            number = 0
            while line := handle.readline(WHOLE_LINE):
                rest = line
                while rest and not rest.endswith(b"\n"):
                    rest = handle.readline(WHOLE_LINE)
                number += 1
                if inside:
                    inside = 0 if KEY_ENDS in line else inside - 1
                    yield number, line, True
                    continue
                begins = KEY_SAID in line and KEY_BEGINS.search(line) is not None
                # A key on one line ends on it.
                inside = LONGEST_KEY if begins and KEY_ENDS not in line else 0
                yield number, line, False
    except OSError:
        return


def key_lines(artifact: Artifact) -> Iterator[str]:
    """The lines that are inside a private key."""
    if not mentions_key(artifact):
        return
    for _, line, inside in numbered(artifact):
        if inside:
            yield line.decode("utf-8", "backslashreplace")


def mentions_key(artifact: Artifact) -> bool:
    """Whether a text says anywhere that a private key follows."""
    before = b""
    try:
        with artifact.opened() as handle:
            while part := handle.read(1 << 20):
                if KEY_SAID in before + part:
                    return True
                before = part[-len(KEY_SAID) :]
    except OSError:
        return False
    return False


def excerpt(artifact: Artifact, pieces: Sequence[Piece], cover: Cover, most: int) -> Excerpt:
    """At most about so many bytes of a text, without secrets."""
    if artifact.size <= most:
        return Excerpt(_written(numbered(artifact), cover, None)[0])
    count, head, end = _ends(artifact, most)
    around = [(place - BEFORE, place + AFTER) for place in pointed_at(pieces)]
    ranges = _merged([(1, head), (end, count), *around], count)
    room = int(most * (1 - HEAD - END))
    text, missing = _written(numbered(artifact), cover, ranges, room, (head, end))
    return Excerpt(text, f"{missing} of {count} lines" if missing else "")


def _ends(artifact: Artifact, most: int) -> tuple[int, int, int]:
    """How many lines there are, the last one of the head, and the first one of the end."""
    head, size, sizes = 0, 0, bytearray()
    count = 0
    for number, line, _ in numbered(artifact):
        count = number
        size += min(len(line), LONGEST)
        if size <= most * HEAD:
            head = number
        # Lengths of lines in two bytes each, which is little for any log that can be read.
        sizes += min(len(line), LONGEST).to_bytes(2, "little")
    room, end = most * END, count + 1
    while end > head + 1 and room > 0:
        room -= int.from_bytes(sizes[2 * end - 4 : 2 * end - 2], "little")
        end -= 1
    return count, head, end


def pointed_at(pieces: Iterable[Piece]) -> list[int]:
    """The lines that facts and flaws name, each once, in the order of the readings."""
    found: dict[int, None] = {}
    for piece in pieces:
        if isinstance(piece, Series):
            continue
        if piece.line is not None:
            found[piece.line] = None
        if isinstance(piece, Reading):
            found |= dict.fromkeys(_places(codec.encode(piece.fact), ""))
    return list(found)


def _places(value: Json, name: str) -> Iterator[int]:
    if isinstance(value, dict):
        # Frames of a traceback are lines of programs.
        for key, one in value.items():
            if key not in ("where", "frames"):
                yield from _places(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from _places(one, name)
    elif name in PLACES and isinstance(value, int) and not isinstance(value, bool):
        yield value


def _merged(wanted: Iterable[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Stretches of lines in their order, those that meet as one."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted((max(1, first), min(count, last)) for first, last in wanted):
        if first > last:
            continue
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _written(
    lines: Iterable[tuple[int, bytes, bool]],
    cover: Cover,
    ranges: Sequence[tuple[int, int]] | None,
    room: int = 0,
    ends: tuple[int, int] = (0, 0),
) -> tuple[bytes, int]:
    """The lines of some stretches; what is left out is said, and counted. Head and end are there whatever the room."""
    parts: list[str] = []
    stretch: list[str] = []
    at, missing, total = 0, 0, 0

    def close() -> None:
        if stretch:
            parts.append(_cut(cover.text("".join(stretch))))
            stretch.clear()

    for number, line, inside in lines:
        while ranges is not None and at < len(ranges) and number > ranges[at][1]:
            at += 1
        chosen = ranges is None or (at < len(ranges) and ranges[at][0] <= number)
        if chosen and ranges is not None and ends[0] < number < ends[1]:
            room -= len(line)
            chosen = room > 0
        if not chosen:
            close()
            missing, total = missing + 1, total + 1
            continue
        if missing:
            parts.append(f"[stetho: {missing} lines are left out here; line {number} follows]\n")
            missing = 0
        stretch.append(f"{MARK}\n" if inside else line.decode("utf-8", "backslashreplace"))
    close()
    if missing:
        parts.append(f"[stetho: {missing} lines are left out here]\n")
    return "".join(parts).encode("utf-8", "backslashreplace"), total


def _cut(text: str) -> str:
    """The text with its longest lines cut, after nothing secret is in it any more."""
    if len(text) <= LONGEST:
        return text
    return "".join(
        line if len(line) <= LONGEST else f"{line[:LONGEST]} [stetho: the rest of the line is left out]\n"
        for line in text.splitlines(keepends=True)
    )
