"""Small texts of the kernel's, read and taken apart: nothing here fails because of what it reads."""

from __future__ import annotations

import re

MOST = 4 * 1024 * 1024


def text_of(path: str, most: int = MOST) -> str | None:
    """The beginning of a file of the kernel's; None when it is not there or not for us."""
    try:
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "backslashreplace")
    except (OSError, ValueError):
        return None


def whole(text: str | None) -> int | None:
    """A whole number of sane length; None for anything else, `max` and `unlimited` among them."""
    text = (text or "").strip()
    return int(text) if re.fullmatch(r"-?[0-9]{1,20}", text) else None


def counts(text: str) -> dict[str, int]:
    """Lines of a name and a number, as in memory.events and memory.stat."""
    found = {}
    for line in text.split("\n"):
        words = line.split()
        if len(words) == 2 and (number := whole(words[1])) is not None:
            found[words[0]] = number
    return found
