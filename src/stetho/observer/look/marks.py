"""Marks that a close look leaves on the nodes of the graph: which line made which value, and what a loss is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import node_kind, node_of

if TYPE_CHECKING:
    from ..sites import Place

KEY = "stetho"
# Nodes that hand a value on without changing it.
PASSING = (
    "View", "UnsafeView", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "T", "Permute", "Clone", "ToCopy", "Slice",
    "Select", "Expand", "Contiguous", "Alias", "Flatten", "Index",
)  # fmt: skip
# Nodes that multiply or divide a value; with one predecessor, by a constant.
FACTORS = ("Mul", "Div")
SCALING = (*FACTORS, "Neg", *PASSING)


class Mark(NamedTuple):
    """The operation that a node belongs to, the user's frames that called it, and the value, if that is one number."""

    name: str
    frames: list[Place]
    value: Any = None


def mark_of(node: Any) -> Mark:
    """The mark on a node; one that was not seen is known by its kind only."""
    found: Mark | None = node.metadata.get(KEY)
    return found if found is not None else Mark(node_kind(node).lower(), [])


def produced(value: Any) -> tuple[str, list[Place]] | None:
    """The operation that made a value, and the user's frames that called it."""
    node = node_of(value)
    for _ in range(12):
        if node is None:
            return None
        if node_kind(node) not in PASSING:
            return mark_of(node)[:2]
        node = node.next_functions[0][0] if node.next_functions else None
    return None


def terms(loss: Any) -> tuple[float, list[tuple[Mark, tuple[str, list[int]] | None]]] | None:
    """What is added up to a loss: its value before constant factors, and the operations under its additions, each with
    how it was totalled."""
    parts: list[tuple[Mark, tuple[str, list[int]] | None]] = []
    top, total = loss.grad_fn, loss.detach()
    while node_kind(top) in FACTORS and len(inner := before(top)) == 1:
        # Divided by the number of micro-batches, or multiplied by a gradient scaler.
        top = inner[0]
        total = mark_of(top).value
    waiting = [top]
    while waiting and len(parts) < 32:
        node = waiting.pop(0)
        known = node.metadata.get(KEY)
        if node_kind(node) in ("Add", "Sub") and (known is None or known.value is not None):
            waiting += before(node)
        elif known is not None and known.value is not None:
            parts.append((known, totalled(node)))
    return (float(total), parts) if len(parts) > 1 and total is not None else None


def totalled(node: Any) -> tuple[str, list[int]] | None:
    """How a term was made one number, `sum` or `mean`, and the shape of what was added up; None where neither."""
    for _ in range(12):
        kind, inner = node_kind(node), before(node)
        if kind in ("Sum", "Mean"):
            return kind.lower(), list(getattr(node, "_saved_self_sym_sizes", None) or ())
        if kind not in SCALING or len(inner) != 1:
            return None
        node = inner[0]
    return None


def before(node: Any) -> list[Any]:
    """The nodes that a node has its values from."""
    return [n for n, _ in node.next_functions if n is not None]
