"""Losses written with plain operations: where what a model made meets data, and in which shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import torch

from ..tensors import tensors_in
from .shares import astray

if TYPE_CHECKING:
    from ..watch import Watch

# What brings an output together with a label, a weight or a mask; names come with and without underscores.
FAMILIES = {
    "sub": "sub", "rsub": "sub", "subtract": "sub", "isub": "sub",
    "mul": "mul", "rmul": "mul", "multiply": "mul", "imul": "mul",
    "gather": "gather", "getitem": "gather", "take_along_dim": "gather",
}  # fmt: skip
# Meetings of one step that are written.
MOST = 12


class Pairs:
    """Writes a few meetings of each step that is looked at closely."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.step = -1
        self.written = 0

    def seen(self, name: str, args: Sequence[Any], kwargs: dict[str, Any], out: Any, frames: Any) -> None:
        """One operation outside the models and the library's losses."""
        family = FAMILIES.get(name.strip("_"))
        found = met(family, args, kwargs) if family and out.requires_grad else None
        if family is None or found is None:
            return
        if self.watch.step != self.step:
            self.step, self.written = self.watch.step, 0
        self.written += 1
        if self.written > MOST:
            return
        given, other = found
        made = self.watch.tracer.produced(given)
        off = astray(name, args, given, other)
        fields = {} if off is None else {"along": off[0], "axis": off[1], "soft_at": self.watch.journal.site(off[2])}
        self.watch.journal.write(
            "meeting",
            step=self.step,
            op=family,
            site=self.watch.journal.site(frames()),
            shape=list(given.shape),
            oshape=list(other.shape),
            out=list(out.shape),
            odtype=str(other.dtype).replace("torch.", ""),
            by=made[0] if made else None,
            left=bool(args) and args[0] is given,
            **fields,
            **described(family, given, other),
        )


def met(family: str | None, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, Any] | None:
    """What carries a gradient, and the data that it meets; nothing where it is not one of each."""
    tensors = [t for t in tensors_in((tuple(args), kwargs)) if t.dim() and t.numel() > 1]
    carrying = [t for t in tensors if t.requires_grad]
    data = [t for t in tensors if not t.requires_grad and not t.is_complex()]
    if family == "gather":
        # Rows are counted and the class is named: p[arange(n), y].
        data = [t for t in data if not t.is_floating_point() and t.dtype != torch.bool][-1:]
    if len(carrying) != 1 or len(data) != 1 or not carrying[0].is_floating_point():
        return None
    return carrying[0], data[0]


def described(family: str, given: Any, other: Any) -> dict[str, Any]:
    """Ranges, whether the data is whole numbers, and the share of right answers where an index names the class."""
    fields: dict[str, Any] = {}
    if other.dtype != torch.bool:
        low, high = (float(v) for v in torch.aminmax(other.detach()))
        fields.update(olow=low, ohigh=high, whole=not other.is_floating_point() or bool((other == other.round()).all()))
    labels, rows = other.reshape(-1), given.detach()
    if family != "gather" or rows.dim() != 2 or labels.numel() != rows.shape[0] or rows.shape[1] < 2:
        return fields
    if int(labels.min()) >= 0 and int(labels.max()) < rows.shape[1]:
        fields["k"] = rows.shape[1]
        fields["acc"] = float((rows.argmax(1) == labels).float().mean())
        sums = (rows.float().exp() if bool(rows.max() <= 0) else rows.float()).sum(1)
        fields["norm"] = bool(((sums - 1).abs() < 1e-3).all())
    return fields
