"""The changed lines of a unified diff, without its context: what fits into a terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True)
class Changed:
    """One line taken away or put in, and the line number it has in its file."""

    file: str
    line: int
    sign: Literal["-", "+"]
    text: str


def changed_lines(diff: str) -> list[Changed]:
    """The lines that a unified diff takes away and puts in; none when the text is no unified diff."""
    found: list[Changed] = []
    file, old, new, old_left, new_left = "", 0, 0, 0, 0
    for text in diff.split("\n"):
        # Only the counts tell a removed "-- x" from a file header.
        if old_left <= 0 and new_left <= 0:
            if text.startswith(("--- ", "+++ ")):
                named = text[4:].split("\t")[0].strip()
                file = file if named == "/dev/null" else re.sub(r"^[ab]/", "", named)
            elif hunk := _HUNK.match(text):
                old, old_left, new, new_left = (int(part or 1) for part in hunk.groups())
            continue
        if text.startswith("-"):
            found.append(Changed(file, old, "-", text[1:]))
        elif text.startswith("+"):
            found.append(Changed(file, new, "+", text[1:]))
        if not text.startswith(("+", "\\")):
            old, old_left = old + 1, old_left - 1
        if not text.startswith(("-", "\\")):
            new, new_left = new + 1, new_left - 1
    return found
