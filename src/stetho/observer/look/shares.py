"""Softmaxes in losses that are written by hand: along which axis they go, and along which one a class is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import torch

from ..graph import node_kind, node_of
from .marks import PASSING, before, mark_of

if TYPE_CHECKING:
    from ..sites import Place

FORM = "stetho form"
SOFT = ("Softmax", "LogSoftmax")
# What is done to each number by itself, and what moves numbers about without losing one.
SINGLE = (
    "Clamp", "ClampMin", "ClampMax", "Pow", "Log", "Log1P", "Exp", "Neg", "Rsub", "Add", "Sub", "Mul", "Div",
)  # fmt: skip
MOVING = tuple(kind for kind in PASSING if kind not in ("Expand", "Slice", "Select", "Index", "Clone", "ToCopy"))
COPYING = ("Clone", "ToCopy")
# Nodes that are looked at, and the share of samples that must have a class where labels are written as ones and zeros.
MOST, NAMED = 24, 0.5


def note_form(node: Any, out: Any) -> None:
    """Keep the shape of a softmax, which its node does not tell."""
    if node_kind(node) in SOFT:
        node.metadata[FORM] = tuple(out.shape)


def astray(name: str, args: Sequence[Any], given: Any, other: Any) -> tuple[int, int, list[Place]] | None:
    """The axis of the softmax that made what meets labels, the axis of the classes in its input, and the lines that
    called it; None where the two are one, or where either is not known."""
    axis = class_axis(name, args, given, other)
    if axis is None or is_shared_out(given, axis):
        return None
    found, moved = softmaxes(given)
    forms = {node.metadata.get(FORM, () if moved else tuple(given.shape)) for node in found}
    form = next(iter(forms), ())
    axes = {soft_axis(node, len(form)) for node in found} if form else set()
    if len(axes) != 1 or len(forms) != 1:
        return None
    along = axes.pop()
    if moved or form != tuple(given.shape):
        same = [k for k, size in enumerate(form) if size == given.shape[axis]]
        if len(same) != 1:
            return None
        axis = same[0]
    frames = next((mark.frames for mark in map(mark_of, found) if mark.frames), [])
    return (along, axis, frames) if along != axis else None


def class_axis(name: str, args: Sequence[Any], given: Any, other: Any) -> int | None:
    """The axis along which labels name a class: they hold a single one along it, or an index picks one of it."""
    plain = name.strip("_")
    if plain in ("gather", "take_along_dim", "getitem"):
        return picked_axis(plain, args, given, other)
    if other.shape != given.shape or given.dim() < 2:
        return None
    numbers = other.detach().float()
    if not bool(((numbers == 0) | (numbers == 1)).all()):
        return None
    found = []
    for axis in range(given.dim()):
        sums = numbers.sum(axis)
        if given.shape[axis] > 1 and bool((sums <= 1).all()) and float(sums.mean()) >= NAMED:
            found.append(axis)
    # Ones along two axes are pairs, as of a contrastive loss; samples are not what is named.
    return found[0] if len(found) == 1 and found[0] > 0 else None


def picked_axis(name: str, args: Sequence[Any], given: Any, index: Any) -> int | None:
    """The second axis, where an index picks one of it for each sample, or for each place of each sample."""
    if name == "getitem":
        whole = len(args) > 1 and isinstance(args[1], tuple) and len(args[1]) == given.dim() == 2
        picked = whole and isinstance(args[1][0], torch.Tensor) and index.numel() == given.shape[0]
    else:
        # For every place but one axis: an index of a few rows picks something else.
        each = index.numel() * given.shape[1] == given.numel() if given.dim() > 1 else False
        picked = each and index.dim() == given.dim() and index.shape[1] == 1
    return 1 if picked and given.shape[1] > 1 and int(index.max()) < given.shape[1] else None


def is_shared_out(given: Any, axis: int) -> bool:
    """Whether numbers, or what they are logarithms of, sum to one along an axis."""
    numbers = given.detach().float()
    return any(bool(((one.sum(axis) - 1).abs() < 1e-3).all()) for one in (numbers, numbers.exp()))


def softmaxes(given: Any) -> tuple[list[Any], bool]:
    """The softmaxes that a tensor is made of, number by number, and whether its axes were moved since; none where
    something else has a part in it."""
    found: list[Any] = []
    moved = False
    waiting, seen = [node_of(given)], 0
    while waiting:
        node, seen = waiting.pop(), seen + 1
        kind = node_kind(node) if node is not None else ""
        if kind in SOFT:
            found.append(node)
        elif kind in (*SINGLE, *MOVING, *COPYING) and seen < MOST:
            moved = moved or kind in MOVING
            waiting += before(node)
        else:
            return [], False
    return found, moved


def soft_axis(node: Any, dims: int) -> int:
    """Along which axis a softmax goes; torch keeps a negative one without its sign."""
    along = int(node._saved_dim)
    return (along - 2**64 if along >= 2**63 else along) % dims
