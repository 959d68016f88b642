"""Gradients, parameters and their change: the whole at every step, one by one on the sampled steps."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any, Collection, Sequence

import torch

# A model with more elements than this has its gradient norm estimated between the sampled steps.
EXACT = 8_000_000
# Elements looked at in one tensor where a sample is enough.
PART = 16_384
PLAIN = (torch.Tensor, torch.nn.Parameter)
GRADIENT, TYPE, LAYOUT, ON_CPU = map(operator.attrgetter, ("grad", "dtype", "layout", "is_cpu"))
IS_THERE = functools.partial(operator.is_not, None)
USUAL, SINGLE, STRIDED = frozenset(PLAIN), {torch.float32}, {torch.strided}
# Sums of squares in single precision between these have not suffered from its range.
SQUARES = (1e-24, 1e36)
HALF = (torch.float16, torch.bfloat16)
FULL = (torch.float32, torch.float64)
WHOLE = frozenset((*FULL, torch.complex64, torch.complex128))
WHOLE_NUMBERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
# Rows and columns of a weight that are held against each other, and the difference up to which rows are copies.
ROWS, COLUMNS, COPY = 16, 64, 1e-3
# A tensor of more elements than this is not copied whole to see whether a step has changed any of them.
COPIED = 4_000_000


def local(tensor: Any) -> Any:
    """This process's part of a tensor that is spread over several."""
    if type(tensor) in PLAIN:
        return tensor
    own = getattr(tensor, "to_local", None)
    return own() if own is not None else tensor


def norms(tensors: Sequence[Any]) -> list[Any]:
    """The norm of each tensor, as zero-dimensional tensors; in half precision the sum would overflow."""
    # Asked of all at once: this is done at every step.
    if not ({*map(TYPE, tensors)} <= WHOLE and {*map(type, tensors)} <= USUAL and {*map(LAYOUT, tensors)} == STRIDED):
        tensors = [local(t) for t in tensors]
        tensors = [t.coalesce().values() if t.is_sparse else t for t in tensors]
        tensors = [t.float() if t.dtype in HALF else t for t in tensors]
    try:
        found: list[Any] = torch._foreach_norm(tensors)
        return found
    except (RuntimeError, AttributeError):
        return [torch.linalg.vector_norm(t) for t in tensors]


def total(parts: Sequence[Any], scales: Sequence[float] | None = None) -> Any:
    """The norm of the whole: a number, or a tensor where reading it now would make an accelerator wait."""
    if not parts:
        return 0.0
    if not parts[0].is_cpu:
        # Of a model that is spread over several devices, the parts meet on the first one.
        found = [p.float().to(parts[0].device) for p in parts]
        return torch.linalg.vector_norm(torch.stack(found if scales is None else torch._foreach_mul(found, [*scales])))
    values = [*map(torch.Tensor.item, parts)]
    if scales is not None:
        values = [v * s for v, s in zip(values, scales)]
    # hypot scales its arguments, so that large finite parts do not become an infinite whole.
    return math.hypot(*values)


def length(tensors: Sequence[Any]) -> float | None:
    """The norm of the whole by products, twice as fast and as exact; none where only a careful way gets it right."""
    kinds = {*map(TYPE, tensors)}, {*map(type, tensors)}, {*map(LAYOUT, tensors)}
    if kinds[0] != SINGLE or not kinds[1] <= USUAL or kinds[2] != STRIDED or not all(map(ON_CPU, tensors)):
        return None
    rows = [*map(torch.Tensor.ravel, tensors)]
    square = math.fsum(map(torch.Tensor.item, map(torch.dot, rows, rows)))
    # Squares that are too small or too large for their type lose what the norm itself would still show.
    return math.sqrt(square) if SQUARES[0] < square < SQUARES[1] else None


def given(parameters: Sequence[Any]) -> list[Any]:
    """The gradients of those parameters that have one."""
    return [*filter(IS_THERE, map(GRADIENT, parameters))]


def part(tensor: Any) -> Any:
    """Elements of a tensor, evenly spread, at most PART of them; small tensors whole."""
    flat = whole(tensor)
    return flat if flat.numel() <= PART else flat[:: stride(flat.numel(), tensor.shape, PART)]


def stride(size: int, shape: Sequence[int], most: int) -> int:
    """How far apart elements lie of which there are at most so many, so that no column of the rows is left out."""
    step, row = size // most + 1, max(1, math.prod(shape[1:]))
    while math.gcd(step, row) > 1:
        step += 1
    return step


def whole(tensor: Any) -> Any:
    """All elements of a tensor in a row; of one that has only a shape, none."""
    flat = local(tensor).detach().reshape(-1)
    return torch.empty(0) if flat.is_meta else flat


def estimate(gradients: Sequence[Any]) -> Any:
    """The norm of the whole from a part of each tensor."""
    gradients = [g.coalesce().values() if g.is_sparse else g for g in gradients]
    parts = [part(g) for g in gradients]
    scales = [math.sqrt(g.numel() / p.numel()) if p.numel() else 0.0 for g, p in zip(gradients, parts)]
    return total(norms(parts), scales)


def precise(tensors: Sequence[Any]) -> list[Any]:
    """Tensors in which sums and differences lose nothing that matters: complex numbers as pairs, others widened."""
    return [
        t if t.dtype in FULL else torch.view_as_real(t.resolve_conj()).reshape(-1) if t.is_complex() else t.float()
        for t in tensors
    ]


class Before:
    """Parts of the parameters as they are before a step, to measure what it really changes."""

    def __init__(self, parameters: Sequence[Any], still: Collection[int] = ()) -> None:
        self.parameters = parameters
        # Where a part stood still last time, the rest may have moved, as in an embedding: those are taken whole.
        self.takes = [whole if i in still and p.numel() <= COPIED else part for i, p in enumerate(parameters)]
        self.values = [take(p).clone() for take, p in zip(self.takes, parameters)]
        # Large ones of which all that was looked at stood still, and those among them that were not looked at whole.
        self.still: set[int] = set()
        self.unsure: set[int] = set()
        self.sizes: list[float] = []
        self.rounded: list[float | None] = []

    def changes(self) -> tuple[list[float | None], float | None]:
        """Relative change of each parameter, and of all together; what is zero and stays zero has not changed."""
        now, old = precise([take(p) for take, p in zip(self.takes, self.parameters)]), precise(self.values)
        moved = [n.item() for n in norms(list(torch._foreach_sub(now, old)))] if now else []
        self.rounded = [*map(rounded, self.parameters, self.takes, self.values)]
        sizes = self.sizes = [n.item() for n in norms(old)] if now else []
        each = [m / s if s > 0 else 0.0 if m == 0 else None for m, s in zip(moved, sizes)]
        for i, (parameter, value) in enumerate(zip(self.parameters, self.values)):
            if moved[i] == 0 and parameter.grad is not None and whole(parameter).numel() > PART:
                self.still.add(i)
                if value.numel() < whole(parameter).numel():
                    self.unsure.add(i)
                    each[i] = None
        weights = [p.numel() / max(1, v.numel()) for p, v in zip(self.parameters, self.values)]
        change = sum(m * m * w for m, w in zip(moved, weights))
        size = sum(s * s * w for s, w in zip(sizes, weights))
        return each, math.sqrt(change / size) if size > 0 else None


def rounded(parameter: Any, take: Any, old: Any) -> float | None:
    """Of a parameter in half precision, the share of elements with a gradient that a step left as they were."""
    if parameter.dtype not in HALF or parameter.grad is None or parameter.grad.is_sparse:
        return None
    pulled = take(parameter.grad) != 0
    asked = int(pulled.sum())
    return int(((take(parameter) == old) & pulled).sum()) / asked if asked else None


def weights(parameters: Sequence[Any]) -> dict[str, list[float | None]]:
    """Norm, mean, standard deviation and largest magnitude of each parameter, from a part of the large ones."""
    some = [part(p) for p in parameters]
    parts = precise(some)
    lengths = [n.item() for n in norms(parts)]
    filled = [p for p in parts if p.numel()]
    most = iter([n.item() for n in torch._foreach_norm(filled, math.inf)] if filled else [])
    fields: dict[str, list[float | None]] = {"w": [], "wm": [], "ws": [], "wx": []}
    for parameter, taken, value, length in zip(parameters, some, parts, lengths):
        mean = value.mean().item() if value.numel() else None
        fields["w"].append(length * math.sqrt(parameter.numel() / max(1, taken.numel())))
        fields["wx"].append(None if mean is None else next(most))
        fields["wm"].append(mean)
        fields["ws"].append(None if mean is None else spread(value, length, mean))
    return fields


def alike(parameters: Sequence[Any]) -> list[bool | None]:
    """Whether the rows of each weight are copies of each other, by its first rows and some of the others; None for
    those that have no rows to compare."""
    found: list[bool | None] = []
    for parameter in parameters:
        own = local(parameter).detach()
        if own.dim() < 2 or own.shape[0] < 2 or own.is_meta or own.is_sparse or not own.is_floating_point():
            found.append(None)
            continue
        chosen = [*range(min(ROWS // 2, own.shape[0])), *range(ROWS // 2, own.shape[0], 1 + own.shape[0] // ROWS)]
        rows = own[chosen].reshape(len(chosen), -1)[:, :COLUMNS].float()
        apart = (rows - rows[0]).abs().max().item()
        found.append(apart <= COPY * rows.abs().max().item())
    return found


def spread(values: Any, length: float, mean: float) -> float:
    """The standard deviation of numbers whose norm and mean are known: mostly one pass less than asking for it."""
    square = length * length / values.numel() - mean * mean
    if square < mean * mean:
        # Far from zero and close together: hardly a digit of the difference is left.
        return float(values.std(correction=0))
    return math.sqrt(max(0.0, square)) if math.isfinite(square) else math.nan


def is_number(value: Any) -> bool:
    """Whether a state holds numbers that can be measured; those that are packed into fewer bits cannot."""
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def moments(optimizer: Any, parameters: Sequence[Any]) -> dict[str, Any]:
    """What the optimizer remembers of each parameter, where it keeps moments under torch's usual names."""
    means: list[Any] = []
    squares: list[Any] = []
    fields: dict[str, Any] = {}
    for parameter in parameters:
        state = optimizer.state.get(parameter, {})
        mean = state.get("exp_avg", state.get("momentum_buffer"))
        square = state.get("exp_avg_sq", state.get("square_avg", state.get("sum")))
        means.append(mean if is_number(mean) and mean.numel() else None)
        # Of a parameter that is spread over several processes, this one may hold nothing.
        seen = part(square) if is_number(square) else None
        squares.append(seen if seen is not None and seen.numel() else None)
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
        if bits.is_complex():
            bits = torch.view_as_real(bits.resolve_conj()).reshape(-1)
        if bits.is_floating_point():
            bits = bits.view(WHOLE_NUMBERS[bits.element_size()])
        weight = torch.arange(1, 2 * bits.numel() + 1, 2, dtype=torch.int64)
        value = (value * 1_000_003 + int((bits.to(torch.int64) * weight).sum())) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"
