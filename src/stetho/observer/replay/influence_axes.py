"""Along which axis of a tensor samples lie apart, seen from what has changed when one of them was replaced."""

from __future__ import annotations

from typing import Any

import torch

# What differs by less than this part of the largest value is rounding.
ROUNDING = 1e-5


def differ(one: Any, other: Any) -> Any:
    """Where two tensors of one shape differ by more than rounding."""
    if one.shape != other.shape:
        return torch.ones(one.shape, dtype=torch.bool)
    if not one.is_floating_point():
        return one != other
    gap = (one.detach().float() - other.detach().float()).abs()
    return gap > ROUNDING * max(1e-12, float(one.detach().float().abs().max()))


def apart(mask: Any, size: int, place: int) -> int | None:
    """The axis along which all that has changed belongs to one of so many samples, also where others are folded in."""
    for axis in range(mask.dim()):
        length = mask.shape[axis]
        if length == 0 or length % size:
            continue
        changed = mask.movedim(axis, 0).reshape(length, -1).any(dim=1).nonzero().reshape(-1)
        each = length // size
        if bool((changed // each == place).all()) or bool((changed % size == place).all()):
            return axis
    return None


def pairwise(mask: Any, size: int, place: int) -> bool:
    """Whether it is a table of all pairs of samples, in which one row and one column have changed."""
    axes = [axis for axis in range(mask.dim()) if mask.shape[axis] == size]
    if len(axes) < 2:
        return False
    table = mask.movedim(axes[:2], (0, 1)).reshape(size, size, -1).any(dim=2).clone()
    table[place, :] = False
    table[:, place] = False
    return not bool(table.any())


def axis_of(args: Any, kwargs: Any, dims: int) -> int | None:
    """The axis that an operation was told to work along, counted from the front."""
    told = kwargs.get("dim")
    if told is None:
        numbers = [a for a in args[1:] if isinstance(a, (int, tuple, list)) and not isinstance(a, bool)]
        told = numbers[-1] if numbers else None
    if isinstance(told, (tuple, list)):
        told = told[0] if len(told) == 1 else None
    return None if not isinstance(told, int) or not dims else told % dims
