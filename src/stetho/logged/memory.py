"""The memory that a run logged, of the machine and of its devices, in bytes whatever unit it was logged in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stetho.facts import Memory
from stetho.logged.known import Known
from stetho.logged.roles import WORDS

if TYPE_CHECKING:
    from stetho.logged.assembly import Curve

LEAST = 5
UNITS = {
    "b": 1, "byte": 1, "bytes": 1, "kb": 2**10, "kib": 2**10, "mb": 2**20, "mib": 2**20, "gb": 2**30, "gib": 2**30,
}  # fmt: skip
# Not what is in use: what there is, what is left, and shares of it.
NOT_USED = frozenset(
    ["total", "limit", "free", "available", "utilization", "util", "percent", "pct", "fraction", "ratio"]
)
DEVICE = re.compile(r"gpu|cuda|vram|device|hbm|allocated|reserved|max_mem")


def memory(
    curves: Sequence[Curve], evenly: Callable[[Curve], tuple[tuple[int, ...], tuple[float, ...]]]
) -> Iterator[Known]:
    """The memory in use: of each kind the curve that grows most of those that have the most points."""
    found = [c for c in curves if c.role.kind == "memory" and len(c) >= LEAST and np.isfinite(c.values).all()]
    found = [c for c in found if not NOT_USED.intersection(words_of(c.name)) and "%" not in c.name]
    host = [c for c in found if not DEVICE.search(c.name.lower())]
    device = [c for c in found if DEVICE.search(c.name.lower())]
    if not found:
        return
    best = fullest(host or device)
    steps, values = evenly(best)
    held = tuple(int(v * unit_of(best)) for v in values)
    words = f"{best.name}: {values[0]:.4g} first, {max(values):.4g} at most"
    if not host:
        yield Known(Memory(steps, (), 0, held, max(held)), words, best.source)
        return
    other = fullest(device) if device else None
    beside = tuple(int(v * unit_of(other)) for v in evenly(other)[1]) if other is not None else ()
    if other is not None:
        words += f"; {other.name}: {max(other.values):.4g} at most"
    yield Known(Memory(steps, held, max(held), beside, max(beside) if beside else None), words, best.source)


def fullest(curves: Sequence[Curve]) -> Curve:
    most = max(len(curve) for curve in curves)
    return max((c for c in curves if len(c) >= most // 2), key=lambda c: float(c.values[-1] - c.values[0]) * unit_of(c))


def words_of(name: str) -> list[str]:
    return [word.lower() for word in WORDS.findall(name)]


def unit_of(curve: Curve) -> int:
    """Bytes that its numbers count in: by a unit in the name, else by their size."""
    named = next((UNITS[word] for word in reversed(words_of(curve.name)) if word in UNITS), None)
    highest = float(curve.values.max())
    return named or (1 if highest > 1e6 else 2**20 if highest > 300 else 2**30)
