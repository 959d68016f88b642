"""How often each cause is the truth among the programs for tuning: all that a guess may rest on."""

from __future__ import annotations

from collections import Counter
from functools import cache

from bench.judge.subject import of_side, subjects


@cache
def shares() -> tuple[tuple[str, float], ...]:
    """Families with their shares, the most frequent first; healthy ones as `none/healthy`."""
    held = of_side(subjects().values(), "tune")
    counted = Counter("none/healthy" if one.healthy else one.family for one in held)
    return tuple((family, count / len(held)) for family, count in sorted(counted.items(), key=lambda p: (-p[1], p[0])))
