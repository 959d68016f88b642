"""Shapes that torch stretches to fit each other."""

from __future__ import annotations

from typing import TypeAlias

Shape: TypeAlias = tuple[int, ...]


def joined(one: Shape, two: Shape) -> Shape:
    """The shape that torch stretches both to; empty when it cannot."""
    size = max(len(one), len(two))
    pairs = list(zip((1,) * (size - len(one)) + one, (1,) * (size - len(two)) + two, strict=True))
    return tuple(max(a, b) for a, b in pairs) if all(a == b or 1 in (a, b) for a, b in pairs) else ()


def silently_stretched(one: Shape, two: Shape) -> bool:
    """Whether the same values along other axes are stretched on both sides; as many axes are written out on purpose."""
    lengths = [n for n in one if n > 1]
    if not lengths or lengths != [n for n in two if n > 1] or len(one) == len(two):
        return False
    return len([n for n in joined(one, two) if n > 1]) > len(lengths)
