"""The steps that a plan asks to be checked: every result and every gradient, until one is not finite."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import torch

from ..graph import node_kind
from ..guard import anywhere
from ..unseen import unrecorded
from .marks import mark_of

if TYPE_CHECKING:
    from ..sites import Place
    from ..watch import Watch

# Origins that are written at most; those after the first ones tell nothing new.
ORIGINS = 5
# Operations whose gradient can be infinite where their value is finite; their input is kept to be looked at.
DELICATE = (
    "Log", "Log2", "Log10", "Log1P", "Sqrt", "Rsqrt", "Pow", "Div", "Reciprocal", "Xlogy", "LinalgVectorNorm",
)  # fmt: skip


class Window:
    """Looks at the values themselves, inside the windows of the plan."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.planned: list[tuple[int, ...]] = [tuple(w) for w in watch.plan.get("trace", [])]
        self.origins = 0

    def covers(self, step: int) -> bool:
        """Whether a step is to be checked."""
        return any(first <= step < last for first, last in self.planned)

    def wants(self, out: Any) -> bool:
        """Whether a result is worth a closer look: it is not finite, and not too many were before it."""
        return self.origins < ORIGINS and bad(out)

    def check(self, name: str, args: Sequence[Any], kwargs: dict[str, Any], frames: list[Place]) -> None:
        """Record the operation that made a NaN or Inf if its input was finite; those after it only pass it on."""
        tensors: list[Any] = []
        scalars: list[float] = []
        for value in list(args) + list(kwargs.values()):
            if isinstance(value, torch.Tensor):
                tensors.append(value)
            elif isinstance(value, float):
                scalars.append(value)
            elif isinstance(value, (list, tuple)):
                tensors += [v for v in value if isinstance(v, torch.Tensor)]
        # A mask is filled with -inf on purpose; that is not where numbers go wrong.
        if not tensors or any(not math.isfinite(s) for s in scalars):
            return
        if not any(bad(t) for t in tensors):
            self.write(name, "forward", frames, tensors[0], tensors[1:])

    def follow(self, node: Any) -> None:
        """Look at the gradients that a node will send on and those that will come to it."""
        # Not the node itself in the hook: that cycle would keep the graph alive.
        mark = mark_of(node)
        given = saved(node) if node_kind(node) in DELICATE else None

        def seen(into: Any, came: Any) -> None:
            with unrecorded():
                self.gradient_seen(mark.name, mark.frames, given, into, came)

        node.register_hook(seen)

    @anywhere
    def gradient_seen(
        self, name: str, frames: list[Place], given: Any, into: Sequence[Any], came: Sequence[Any]
    ) -> None:
        """Record the node when finite gradients came to it and it sent on a NaN or Inf."""
        if self.origins >= ORIGINS or not any(bad(g) for g in into) or any(bad(g) for g in came):
            return
        self.write(name, "backward", frames, given if given is not None else next(g for g in came if g is not None))

    def write(self, name: str, phase: str, frames: list[Place], given: Any, others: Sequence[Any] = ()) -> None:
        """Record where numbers stopped being finite, with the range and zeros of what went in: they tell why."""
        self.origins += 1
        number = given.detach().float()
        divisor = others[0].detach() if others and name in ("div", "true_divide", "__rtruediv__", "divide") else None
        self.watch.journal.write(
            "origin",
            step=self.watch.step,
            op=name,
            phase=phase,
            site=self.watch.journal.site(frames),
            low=float(number.min()) if number.numel() else None,
            high=float(number.max()) if number.numel() else None,
            zeros=int((number == 0).sum()),
            size=number.numel(),
            divisor_zeros=int((divisor == 0).sum()) if divisor is not None else 0,
            graph=given.requires_grad,
        )


def bad(value: Any) -> bool:
    """Whether a value or gradient is there and holds a NaN or Inf."""
    if value is None or not value.is_floating_point() or value.is_sparse:
        return False
    return not bool(torch.isfinite(value).all())


def saved(node: Any) -> Any:
    """The input that the operation kept for its gradient, when it kept one."""
    try:
        value = getattr(node, "_saved_self", None)
    except RuntimeError:
        return None
    return value.detach() if isinstance(value, torch.Tensor) and value.is_floating_point() else None
