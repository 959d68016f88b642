"""How far the gradients of neighbouring steps agree, and how far the noise in them moves the parameters.

Of a few steps in a row a part of the gradient is added up: what they have in common grows with their number, what is
chance does not. What a step's own gradient moves in the end, times that gradient, is four times the loss that its noise
keeps a run above its minimum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from ..unseen import unrecorded
from .gradients import local, stride

if TYPE_CHECKING:
    from ..watch import Watch
    from ..watched import Watched

# Steps in a row that are looked at, and the steps from one look to the next, which grow with the run.
STEPS, EVERY, SHARE = 16, 50, 10
# Tensors that are looked at, and elements of each.
TENSORS, ELEMENTS = 32, 512
# Where optimizers keep the squares that they divide by the root of.
SQUARES = ("exp_avg_sq", "square_avg", "sum")


class Noise:
    """Adds up a part of the gradients of a few steps in a row, now and then."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.optimizer = -1
        self.first = self.next = 0
        self.seen = 0
        self.total: Any = None
        self.squares = 0.0
        self.pull: float | None = 0.0

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.total = None

    def stepped(self, watched: Watched) -> None:
        """A step is over, and the gradients that it has used are still there."""
        step = watched.steps
        if step < self.next or (watched.index != self.optimizer and self.total is not None):
            return
        if self.total is None:
            if watched.index and step < EVERY:
                # Of several optimizers, the first one to come this far is followed.
                return
            self.optimizer, self.first, self.seen, self.squares, self.pull = watched.index, step, 0, 0.0, 0.0
        with unrecorded():
            found = parts(watched)
            row = torch.cat([gradient for _, gradient in found]).double().cpu() if found else None
            if row is None or (self.total is not None and row.shape != self.total.shape):
                self.over(step)
                return
            self.total = row if self.total is None else self.total + row
            self.squares += float(row @ row)
            self.pull = None if self.pull is None else pulled(watched, found, self.pull)
            self.seen += 1
        if self.seen == STEPS:
            self.write(watched)
            self.over(step)

    def over(self, step: int) -> None:
        """The next look comes the later, the longer the run is."""
        self.total = None
        self.next = max(step + 1, self.first + max(EVERY, self.first // SHARE))

    def write(self, watched: Watched) -> None:
        """Put one look on record: what the steps share of their gradients, and what these pull at."""
        whole = float(self.total @ self.total)
        if not (math.isfinite(whole) and math.isfinite(self.squares)) or not self.squares:
            return
        # Each gradient times each other one, beside each times itself.
        shared = (whole - self.squares) / (STEPS - 1) / self.squares
        pull = None if self.pull is None or not math.isfinite(self.pull) else self.pull / STEPS
        self.watch.journal.write("noise", o=watched.index, i=self.first, n=STEPS, shared=shared, pull=pull)


def parts(watched: Watched) -> list[tuple[Any, Any]]:
    """Some parameters, each with evenly spread elements of its gradient; none where they are not as they are used."""
    optimizer = watched.optimizer
    if optimizer is None or getattr(optimizer, "grad_scale", None) is not None:
        return []
    held = [p for p in watched.parameters() if p.grad is not None and not p.grad.is_sparse]
    return [(p, part(p.grad, p.shape)) for p in held[:: max(1, math.ceil(len(held) / TENSORS))]]


def part(tensor: Any, shape: Any) -> Any:
    """Evenly spread elements of a tensor, the same ones each time."""
    flat = local(tensor).detach().reshape(-1)
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(-1)
    return flat if flat.numel() <= ELEMENTS else flat[:: stride(flat.numel(), shape, ELEMENTS)]


def pulled(watched: Watched, found: list[tuple[Any, Any]], so_far: float) -> float | None:
    """The gradient times what it moves in the end, over all parameters; None for optimizers of another kind."""
    optimizer = watched.optimizer
    groups = {id(p): group for group in optimizer.param_groups for p in group["params"]}
    total, looked_at = 0.0, 0
    for parameter, gradient in found:
        each = moved(parameter, gradient, groups[id(parameter)], optimizer.state.get(parameter, {}))
        if each is None:
            return None
        total += each * parameter.numel() / max(1, gradient.numel())
        looked_at += parameter.numel()
    elements = sum(p.numel() for p in watched.parameters() if p.grad is not None)
    return float(so_far + total * elements / max(1, looked_at))


def moved(parameter: Any, gradient: Any, group: Any, state: Any) -> float | None:
    """The part of a gradient times what it moves, by the rules of SGD and of those that divide by a mean square."""
    rate, momentum = group.get("lr"), group.get("momentum") or 0.0
    if rate is None or not 0 <= float(momentum) < 1:
        return None
    rate = float(rate) / (1 - float(momentum)) * (1 - float(group.get("dampening") or 0.0))
    squared = gradient.double().square()
    square = next((state[name] for name in SQUARES if isinstance(state.get(name), torch.Tensor)), None)
    if square is None:
        plain = "momentum" in group and set(state) <= {"momentum_buffer"}
        return rate * float(squared.sum()) if plain else None
    if square.shape != parameter.shape:
        return None
    divisor = part(square, parameter.shape).double()
    betas, age = group.get("betas"), state.get("step")
    if betas is not None and age is not None:
        divisor = divisor / (1 - float(betas[1]) ** max(1.0, float(age)))
    return rate * float((squared / (divisor.sqrt() + float(group.get("eps") or 1e-8))).sum())
