"""One row of a log as named numbers: nested keys joined, numbers in texts read, the phase put before the name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from stetho.formats.columns import TIMES, is_axis, plain

# What C calls a number, without its hexadecimal ones; Python's own float() would also take underscores.
NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE | re.ASCII)
LONGEST_NUMBER = 64
LONGEST_NAME = 200
DEEPEST = 8
MOST_OF_A_LIST = 16
# A logger that writes the same names for both kinds of rows tells them apart by one of these.
PHASE_KEYS = ("mode", "split", "phase", "stage", "subset", "set", "type", "prefix", "dataset")
PHASES = frozenset(
    ("train", "training", "val", "valid", "validation", "eval", "evaluation", "test", "testing", "dev", "holdout")
)


def number_in(text: str) -> float | None:
    """The number that a text is, or None."""
    text = text.strip()
    if not 0 < len(text) <= LONGEST_NUMBER or NUMBER.fullmatch(text) is None:
        return None
    return float(text)


def time_in(text: str) -> float | None:
    """The time that a text tells, in seconds since 1970; without a zone it is taken for UTC."""
    text = text.strip().replace("/", "-").replace(",", ".").replace("Z", "+00:00")
    if not 8 <= len(text) <= 40:
        return None
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return None


def as_float(value: float) -> float:
    """A number of any size as a float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def named(name: str) -> str:
    """A name that can be shown and kept."""
    return name[:LONGEST_NAME].encode("utf-8", "backslashreplace").decode("utf-8")


def numbers(row: Mapping[str, object]) -> dict[str, float]:
    """The numbers of a row by name."""
    found: dict[str, float] = {}
    _gather(row, "", 0, found)
    for key in PHASE_KEYS:
        phase = row.get(key)
        if isinstance(phase, str) and phase.lower() in PHASES:
            return {name if is_axis(name) else f"{phase}/{name}": value for name, value in found.items()}
    return found


def _gather(row: Mapping[str, object], before: str, depth: int, found: dict[str, float]) -> None:
    for key, value in row.items():
        kind = type(value)
        if kind is float or kind is int:
            found[_joined(before, key)] = as_float(value)  # type: ignore[arg-type]
        elif kind is str:
            name = _joined(before, key)
            number = number_in(value)  # type: ignore[arg-type]
            if number is None and plain(name) in TIMES:
                number = time_in(value)  # type: ignore[arg-type]
            if number is not None:
                found[name] = number
        elif isinstance(value, Mapping) and depth < DEEPEST:
            _gather(value, _joined(before, key) + "/", depth + 1, found)
        elif isinstance(value, list) and 0 < len(value) <= MOST_OF_A_LIST:
            _list(value, _joined(before, key), found)


def _list(values: Sequence[object], name: str, found: dict[str, float]) -> None:
    """A list of one number is that number; one of a few is told apart by their places."""
    for place, value in enumerate(values):
        if type(value) is float or type(value) is int:
            found[name if len(values) == 1 else f"{name}/{place}"] = as_float(value)


def _joined(before: str, key: str) -> str:
    name = before + key if before else key
    return name if name.isascii() and len(name) <= LONGEST_NAME else named(name)
