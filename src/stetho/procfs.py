"""Small texts of the kernel's, read and taken apart: nothing here fails because of what it reads."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

MOST = 4 * 1024 * 1024
UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


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


@dataclass(frozen=True)
class Said:
    """What a command printed, or why it said nothing."""

    command: str
    out: str = ""
    failure: str = ""

    @property
    def ok(self) -> bool:
        return not self.failure


def ask(*command: str, limit: float = 1.5) -> Said:
    """The output of a tool that only reads; a missing tool, an error and a tool that hangs are all told."""
    told = " ".join(command)
    if shutil.which(command[0]) is None:
        return Said(told, failure=f"{command[0]} is not installed")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Said(told, failure=f"{command[0]} did not answer within {limit:g} s")
    except OSError as error:
        return Said(told, failure=f"{command[0]} cannot be run: {error.strerror or error}")
    out = done.stdout[:MOST].decode("utf-8", "backslashreplace")
    if done.returncode != 0:
        why = " ".join((done.stderr or done.stdout).decode("utf-8", "backslashreplace").split())[:200]
        return Said(told, out, f"{command[0]} failed with code {done.returncode}{': ' if why else ''}{why}")
    return Said(told, out)


def size(amount: float | None) -> str:
    """Bytes as people say them."""
    if amount is None:
        return "unknown"
    value, unit = float(amount), 0
    while abs(value) >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {UNITS[unit]}" if unit < 2 or value >= 100 else f"{value:.1f} {UNITS[unit]}"


def duration(seconds: float | None) -> str:
    """A time span with the precision that matters at its size."""
    if seconds is None:
        return "unknown"
    value = max(0.0, seconds)
    for limit, unit, name in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if value < limit:
            return f"{value / unit:.0f} {name}"
    return f"{value / 86_400:.0f} days"


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
