"""Lines that differ only in their digits and in the width of their spaces are of one shape; here they become equal.

What is decided about a line is decided on its evened text, so that a million lines of one shape are understood once.
"""

from __future__ import annotations

import re

# Of a line, evened, no more than this is looked at; nothing that says something is as long.
LONGEST = 16 * 1024

# Digits and blanks get the two lowest codes, so that one comparison tells what collapses; what had them moves up.
_DIGIT, _BLANK = 0, 1
_codes = bytearray(range(256))
_codes[0] = _codes[1] = 2
for _byte in b"0123456789":
    _codes[_byte] = _DIGIT
_codes[ord(" ")] = _codes[ord("\t")] = _BLANK
_codes[ord("\r")] = ord("\n")
CODES = bytes(_codes)
_BACK = bytes([ord("0"), ord(" "), *range(2, 256)])

# Colours, cursor movements and window titles of terminals.
# The digits in them must not matter: a line is stripped after it was evened, or before, with the same result.
ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n\r]*(?:\x07|\x1b\\)?|[@-Z\\-_]|[()][A-Z])?")
_FINAL, _COLOURING, _FEW = ord("m"), b"\x1b[0123456789;:m", 64
_CODED_RUNS = re.compile(rb"\x00+|\x01+")
_RUNS = re.compile(rb"[0-9]+|[ \t]+")


def collapse(codes: bytes) -> bytes:
    """A block of lines in codes, runs of digits and of blanks each made one."""
    import numpy as np

    wide = np.frombuffer(codes, np.uint8)
    keep = wide > _BLANK
    keep[1:] |= wide[1:] != wide[:-1]
    keep[:1] = True
    return wide[keep].tobytes()


def collapsed(line: bytes) -> bytes:
    """The same for one line."""
    return _CODED_RUNS.sub(lambda run: run[0][:1], line)


def back(coded: bytes) -> bytes:
    """What is in codes as text again: every digit is 0, every blank a space."""
    return coded.translate(_BACK)


def shown(coded: bytes) -> bytes:
    """A line in codes as evened text: every number is 0, every gap is one space; terminal codes are gone."""
    line = back(coded[:LONGEST])
    return even(ANSI.sub(b"", line)) if b"\x1b" in line else line


def even(line: bytes) -> bytes:
    """One line of text, evened the plain way."""
    return _RUNS.sub(lambda run: b"0" if run[0][:1].isdigit() else b" ", line)


def plain(line: bytes) -> bytes:
    """A line as it was written, without terminal codes."""
    return ANSI.sub(b"", line) if b"\x1b" in line else line


def uncoloured(blob: bytes) -> bytes:
    """Many lines without terminal codes; where all of these are colours, they are taken out at once."""
    import numpy as np

    raw = np.frombuffer(blob, np.uint8)
    begins, finals = np.flatnonzero(raw == 27), np.flatnonzero(raw == _FINAL)
    where = np.searchsorted(finals, begins)
    if len(begins) < _FEW or int(where[-1]) >= len(finals) or begins[-1] + 1 >= len(raw):
        return ANSI.sub(b"", blob)
    ends = finals[where] + 1
    edges = np.zeros(len(raw) + 1, np.int8)
    edges[begins] = 1
    # Two that would end at the same place are one within the other, and no colours.
    edges[ends] -= 1
    inside = np.cumsum(edges[:-1], dtype=np.int8).astype(np.bool_)
    codes = raw[inside].tobytes()
    opened = codes.count(b"\x1b[")
    plain = opened == len(begins) == codes.count(b"[") == codes.count(b"m") and not codes.translate(None, _COLOURING)
    return raw[~inside].tobytes() if plain else ANSI.sub(b"", blob)


def text(line: bytes) -> str:
    """What people read, whatever bytes it holds; nothing in it can command a terminal."""
    said = plain(line).decode("utf-8", "backslashreplace")
    return (
        "".join(c if c.isprintable() or c == "\t" else f"\\x{ord(c):02x}" for c in said)
        if not said.isprintable()
        else said
    )
