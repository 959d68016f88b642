"""Bytes, times and counts as people say them."""

from __future__ import annotations

UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


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
