"""Whether a model that is trained on what comes next can see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..tensors import tensors_in
from .influence_axes import differ

if TYPE_CHECKING:
    from .influence import Probe

# Shortest sequence, and how much of the targets must be what the input holds one place later.
SHORTEST, AGREE = 4, 0.9
FEATURES = 8
MIXING = ("softmax", "scaled_dot_product_attention", "multi_head_attention_forward", "_native_multi_head_attention")


class Future:
    """Replaces what comes after a place in the sequence, and looks at what comes out up to there."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe

    def seen(self) -> dict[str, Any] | None:
        """How many places change with what comes after them; nothing where targets are not what comes next."""
        given = next((t for t in self.probe.given if self.is_next(t)), None)
        if given is None or not self.probe.steady:
            return None
        length = int(given.shape[1])
        place = length // 2
        changed = given.clone()
        other = given.roll(1, dims=0) if given.shape[0] > 1 else given.flip(1)
        changed[:, place + 1 :] = other[:, place + 1 :]
        if torch.equal(changed, given):
            return None
        tape, outputs = self.probe.run({id(given): changed})
        for one, two in zip(self.probe.outputs, outputs):
            mask = self.by_place(differ(one, two), given)
            if mask is None or not bool(mask[:, place + 1 :].any()):
                continue
            leaking = int(mask[:, : place + 1].any(dim=0).sum())
            body = {"about": "future", "n": length, "places": place + 1, "leaking": leaking}
            return {**body, **(self.origin(tape, length, place) if leaking else {})}
        return None

    def is_next(self, given: Any) -> bool:
        """Whether some target holds, at each place, what this input holds one place later."""
        if (
            given.dim() < 2
            or given.shape[1] < SHORTEST
            or given.dim() > 3
            or (given.is_floating_point() and given.dim() < 2)
        ):
            return False
        columns = [given] if given.dim() == 2 else [given[..., f] for f in range(min(FEATURES, given.shape[2]))]
        for target in self.targets(given):
            for column in columns:
                held = target.reshape(column.shape).to(column.dtype)
                ahead, here = held[:, :-1] == column[:, 1:], held == column
                varies = column[:, 1:] != column[:, :-1]
                if (
                    float(ahead.float().mean()) >= AGREE > float(here.float().mean())
                    and float(varies.float().mean()) > 0.1
                ):
                    return True
        return False

    def targets(self, given: Any) -> list[Any]:
        """Data that met the output outside the model, or that a model with a loss of its own was given beside its
        input, with a number for each place."""
        size = given.shape[0] * given.shape[1]
        met = [t for e in self.probe.operations for t in tensors_in((e.args, e.kwargs))]
        met += [t for t in self.probe.given if t is not given]
        return [t for t in met if not t.requires_grad and t.numel() == size and not t.is_complex()]

    def by_place(self, mask: Any, given: Any) -> Any:
        """What has changed, as sequences by places; None where the output has no such axis."""
        batch, length = given.shape[:2]
        if mask.dim() >= 2 and mask.shape[0] == batch and mask.shape[1] == length:
            return mask.reshape(batch, length, -1).any(dim=2)
        if mask.dim() >= 1 and mask.shape[0] == batch * length:
            return mask.reshape(batch, length, -1).any(dim=2)
        if mask.dim() == 3 and mask.shape[0] == batch and mask.shape[2] == length:
            return mask.any(dim=1)
        return None

    def origin(self, other: Any, length: int, place: int) -> dict[str, Any]:
        """The first operation whose result, by places, follows what comes later; a table of all pairs is none yet."""
        one, two = self.probe.tape.seen, other.seen
        if [s.name for s in one] != [s.name for s in two]:
            return {"op": ""}
        for index, (a, b) in enumerate(zip(one, two)):
            if not isinstance(a.out, torch.Tensor) or not isinstance(b.out, torch.Tensor) or a.out.shape != b.out.shape:
                continue
            axes = [axis for axis in range(a.out.dim()) if a.out.shape[axis] == length]
            if len(axes) != 1:
                continue
            mask = differ(a.out, b.out).movedim(axes[0], 0).reshape(length, -1).any(dim=1)
            if bool(mask[: place + 1].any()):
                weighing = [s for s in one[: index + 1] if s.name in MIXING]
                frames = [*(weighing[-1].frames[:1] if weighing else []), *a.frames[:3]]
                return {"op": weighing[-1].name if weighing else a.name, "module": a.module, "frames": frames}
        return {"op": ""}


def share(mask: Any) -> float:
    """How much of it holds."""
    return float(mask.float().mean())
