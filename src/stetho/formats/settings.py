"""Settings of any origin as one fact: nested keys joined by dots, secrets hidden, sizes bounded."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from stetho.facts import Config, ConfigValue
from stetho.formats.rows import as_float, named, number_in
from stetho.reader import Reading

MOST = 2000
LONGEST = 200
DEEPEST = 20
SECRET = re.compile(
    r"(api|access|auth|private|secret)[_-]?key|secret|passw|credential|(^|[._-])(token|pwd)$", re.IGNORECASE
)
HIDDEN = "(hidden)"
Placed: TypeAlias = tuple[str, object, "int | None"]
"""A key, its value, and its line."""


def flat(key: str, value: object, line: int | None = None, depth: int = 0) -> Iterator[Placed]:
    """A value and what is in it, each under its own key."""
    if isinstance(value, dict) and value and depth < DEEPEST:
        for name, inner in value.items():
            yield from flat(f"{key}.{name}" if key else str(name), inner, line, depth + 1)
    elif isinstance(value, (list, tuple)) and any(isinstance(one, (dict, list, tuple)) for one in value[:MOST]):
        for place, inner in enumerate(value[:MOST] if depth < DEEPEST else ()):
            yield from flat(f"{key}.{place}", inner, line, depth + 1)
    elif key:
        yield key, value, line


def text_of(value: object) -> str:
    """A value as people write it in a configuration."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(one) for one in value[:50]) + ("" if len(value) <= 50 else ", …") + "]"
    if isinstance(value, int) and abs(value) > 1 << 64:
        return hex(value)[:LONGEST]
    return str(value)


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    found = as_float(value) if isinstance(value, (int, float)) else number_in(value) if isinstance(value, str) else None
    return found if found is not None and math.isfinite(found) else None


def reading(format: str, placed: Iterable[Placed], run: str = "") -> Reading | None:
    """The settings as a fact; None where there are none."""
    values: list[ConfigValue] = []
    total = 0
    for key, value, line in placed:
        total += 1
        if len(values) >= MOST:
            continue
        hidden = SECRET.search(key) is not None and value not in (None, "", False)
        text = HIDDEN if hidden else named(text_of(value))[:LONGEST]
        values.append(ConfigValue(named(key), text, None if hidden else _number(value), line))
    if not values:
        return None
    many = "1 setting" if total == 1 else f"{total} settings"
    return Reading(
        Config(format, tuple(values), total), f"{many} of the run, as {format} has them", values[0].line, run
    )
