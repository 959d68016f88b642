"""Text that came from logs and programs, made safe to show: it is data, never a command or markup."""

from __future__ import annotations

import re

# A whole terminal sequence goes at once, so that its letters do not stay behind as noise.
_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movement
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, hyperlinks, device strings
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
# The bidirectional controls make a line read differently from what it says.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def readable(text: str) -> str:
    """Text that can be written as UTF-8: bytes that were no text are shown as \\xNN."""
    return _SURROGATE.sub(_spelled, text)


def inert(text: str) -> str:
    """The text without terminal sequences and control characters; lines and tabs stay."""
    return readable(_CONTROL.sub("", _LINE_END.sub("\n", _SEQUENCE.sub("", text))))


def on_one_line(text: str) -> str:
    """The same, as one line: for sentences and table cells."""
    return " ".join(inert(text).split())


def _spelled(match: re.Match[str]) -> str:
    code = ord(match.group())
    # Python keeps an undecodable byte 0x80..0xFF as the surrogate 0xDC80..0xDCFF.
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else "\ufffd"
