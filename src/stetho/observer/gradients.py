"""Gradients, parameters and their change: the whole at every step, one by one on the sampled steps."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch

# A model with more elements than this has its gradient norm estimated between the sampled steps.
EXACT = 8_000_000
# Elements looked at in one tensor where a sample is enough.
PART = 16_384
PLAIN = (torch.Tensor, torch.nn.Parameter)
HALF = (torch.float16, torch.bfloat16)


def local(tensor: Any) -> Any:
    """This process's part of a tensor that is spread over several."""
    if type(tensor) in PLAIN:
        return tensor
    own = getattr(tensor, "to_local", None)
    return own() if own is not None else tensor


def norms(tensors: Sequence[Any]) -> list[Any]:
    """The norm of each tensor, as zero-dimensional tensors; in half precision the sum would overflow."""
    for tensor in tensors:
        if tensor.dtype in HALF or type(tensor) not in PLAIN or tensor.is_sparse:
            tensors = [local(t) for t in tensors]
            tensors = [t.coalesce().values() if t.is_sparse else t for t in tensors]
            tensors = [t.float() if t.dtype in HALF else t for t in tensors]
            break
    try:
        found: list[Any] = torch._foreach_norm(tensors)
        return found
    except (RuntimeError, AttributeError):
        return [torch.linalg.vector_norm(t) for t in tensors]


def total(parts: Sequence[Any], scales: Sequence[float] | None = None) -> Any:
    """The norm of the whole: a number, or a tensor where reading it now would make an accelerator wait."""
    if not parts:
        return 0.0
    if parts[0].device.type != "cpu":
        return torch.linalg.vector_norm(torch.stack([p.float() for p in parts]))
    values = [p.item() for p in parts]
    if scales is not None:
        values = [v * s for v, s in zip(values, scales)]
    # hypot scales its arguments, so that large finite parts do not become an infinite whole.
    return math.hypot(*values)


def part(tensor: Any) -> Any:
    """Elements of a tensor, evenly spread, at most PART of them; small tensors whole."""
    flat = local(tensor).detach().reshape(-1)
    size = flat.numel()
    return flat if size <= PART else flat[:: size // PART + 1]


def estimate(gradients: Sequence[Any]) -> Any:
    """The norm of the whole from a part of each tensor."""
    parts = [part(g) for g in gradients]
    scales = [math.sqrt(g.numel() / p.numel()) if p.numel() else 0.0 for g, p in zip(gradients, parts)]
    return total(norms(parts), scales)


def precise(tensors: Sequence[Any]) -> list[Any]:
    """Tensors in which sums and differences lose nothing that matters: half precision is widened."""
    return [t.float() if t.dtype in HALF else t for t in tensors]


class Before:
    """Parts of the parameters as they are before a step, to measure what it really changes."""

    def __init__(self, parameters: Sequence[Any]) -> None:
        self.parameters = parameters
        self.values = [part(p).clone() for p in parameters]

    def changes(self) -> tuple[list[float | None], float | None]:
        """Relative change of each parameter, and of all together; what is zero and stays zero has not changed."""
        now, old = precise([part(p) for p in self.parameters]), precise(self.values)
        moved = [n.item() for n in norms(list(torch._foreach_sub(now, old)))] if now else []
        sizes = [n.item() for n in norms(old)] if now else []
        each = [m / s if s > 0 else 0.0 if m == 0 else None for m, s in zip(moved, sizes)]
        weights = [p.numel() / max(1, v.numel()) for p, v in zip(self.parameters, self.values)]
        change = sum(m * m * w for m, w in zip(moved, weights))
        size = sum(s * s * w for s, w in zip(sizes, weights))
        return each, math.sqrt(change / size) if size > 0 else None


def weights(parameters: Sequence[Any]) -> dict[str, list[float | None]]:
    """Norm, mean, standard deviation and largest magnitude of each parameter, from a part of the large ones."""
    parts = precise([part(p) for p in parameters])
    lengths = [n.item() for n in norms(parts)]
    most = [n.item() if p.numel() else None for n, p in zip(torch._foreach_norm(parts, math.inf), parts)]
    fields: dict[str, list[float | None]] = {"w": [], "wm": [], "ws": [], "wx": most}
    for parameter, value, length in zip(parameters, parts, lengths):
        size = value.numel()
        mean = value.mean().item() if size else None
        fields["w"].append(length * math.sqrt(parameter.numel() / max(1, size)))
        fields["wm"].append(mean)
        fields["ws"].append(None if mean is None else spread(value, length, mean))
    return fields


def spread(values: Any, length: float, mean: float) -> float:
    """The standard deviation of numbers whose norm and mean are known: mostly one pass less than asking for it."""
    square = length * length / values.numel() - mean * mean
    if square < mean * mean:
        # Far from zero and close together: hardly a digit of the difference is left.
        return float(values.std(correction=0))
    return math.sqrt(max(0.0, square)) if math.isfinite(square) else math.nan


def moments(optimizer: Any, parameters: Sequence[Any]) -> dict[str, Any]:
    """What the optimizer remembers of each parameter, where it keeps moments under torch's usual names."""
    means: list[Any] = []
    squares: list[Any] = []
    fields: dict[str, Any] = {}
    for parameter in parameters:
        state = optimizer.state.get(parameter, {})
        mean = state.get("exp_avg", state.get("momentum_buffer"))
        square = state.get("exp_avg_sq", state.get("square_avg", state.get("sum")))
        means.append(mean if isinstance(mean, torch.Tensor) and mean.numel() else None)
        squares.append(part(square) if isinstance(square, torch.Tensor) and square.numel() else None)
        if "age" not in fields and "step" in state:
            fields["age"] = int(state["step"])
    known = [m for m in means if m is not None]
    if known:
        lengths = iter([n.item() for n in norms(known)])
        fields["m1"] = [None if m is None else next(lengths) for m in means]
    known = [s for s in squares if s is not None]
    if known:
        # Second moments are never negative, so that their mean is the sum of their magnitudes over their number.
        sums = iter([n.item() for n in torch._foreach_norm(known, 1)])
        fields["m2"] = [None if s is None else math.sqrt(next(sums) / s.numel()) for s in squares]
    return fields


def checksum(tensors: Sequence[Any]) -> str:
    """A number that two ranks share when their tensors are the same, bit by bit, in the part looked at."""
    value = 0
    for tensor in tensors:
        bits = part(tensor).cpu().contiguous()
        if bits.is_floating_point():
            bits = bits.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[bits.element_size()])
        weight = torch.arange(1, 2 * bits.numel() + 1, 2, dtype=torch.int64)
        value = (value * 1_000_003 + int((bits.to(torch.int64) * weight).sum())) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"
