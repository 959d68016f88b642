"""A gradient that is written by hand, held against differences of the forward pass, in a twin."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from .. import guard
from ..unseen import uncovered
from . import room

if TYPE_CHECKING:
    from ..seen.functions import Called

# Numbers of one input whose gradient is looked at, and seconds for one call.
PLACES, SECONDS = 24, 3.0
# The step of a difference, by the precision of the forward pass, and how much two differences may disagree.
STEP = {torch.float64: 1e-5, torch.float32: 1e-2}
STEADY = {torch.float64: 1e-3, torch.float32: 3e-2}
# From this relative error on a gradient is wrong.
WRONG = {torch.float64: 0.02, torch.float32: 0.1}
# A slope below this share of the largest gradient is none.
FLAT = 1e-4


def compared(calls: list[Called]) -> list[dict[str, Any]]:
    """What the twin does: for each call, how its gradient compares."""
    guard.off = True
    torch.set_num_threads(1)
    room.take_half(1)
    found = []
    with uncovered():
        for number, call in enumerate(calls):
            try:
                body = Comparison(call).verdict()
            except Exception as error:  # noqa: BLE001 - what a function does with other numbers is its own affair
                body = {"says": "unknown", "why": f"{type(error).__name__}: {error}"[:200]}
            found.append({"call": number, **body})
    return found


class Comparison:
    """One call, made again in double precision where its function takes that."""

    def __init__(self, call: Called) -> None:
        self.call = call
        self.until = time.monotonic() + SECONDS
        self.kind: Any = None
        for kind in (torch.float64, torch.float32):
            self.given = [converted(a, kind) for a in call.args]
            try:
                made = self.run(self.given)
            except (RuntimeError, TypeError, ValueError):
                if kind is torch.float32:
                    raise
                continue
            # One that computes in single precision all the same is as coarse as that.
            self.kind = torch.float64 if all(m.dtype is torch.float64 for m in made) else torch.float32
            if self.kind is kind:
                break
        self.outputs = made

    def run(self, given: list[Any]) -> list[Any]:
        """Call the function, with the same random numbers each time, on copies: it may write to what it is given."""
        torch.manual_seed(0)
        made = self.call.kind.apply(*(g.clone() if isinstance(g, torch.Tensor) else g for g in given))
        made = made if isinstance(made, (tuple, list)) else (made,)
        return [m for m in made if isinstance(m, torch.Tensor) and m.is_floating_point()]

    def verdict(self) -> dict[str, Any]:
        """Right, wrong, or meant to be another: a stand-in for a step, or a change of the gradient alone."""
        with torch.no_grad():
            again = self.run(self.given)
        if not self.outputs or any(not torch.equal(a, b) for a, b in zip(self.outputs, again)):
            return {"says": "unknown", "why": "it does not give the same twice"}
        asked = [i for i, asks in enumerate(self.call.asks) if asks]
        if any(same(m, self.given[i]) for m in self.outputs for i in asked):
            # It is there for nothing but its gradient.
            return {"says": "identity"}
        weights = weights_for(self.outputs)
        gradients = self.written(asked, weights)
        found = [self.place(i, g, weights, self.call.leaves[i]) for i, g in zip(asked, gradients)]
        known = [f for f in found if f is not None]
        if any(f["says"] == "stand-in" for f in known):
            return {"says": "stand-in"}
        wrong = [f for f in known if f["says"] == "wrong"]
        if wrong:
            return max(wrong, key=lambda f: f["error"])
        return {"says": "right" if known else "unknown", "error": max((f["error"] for f in known), default=None)}

    def written(self, asked: list[int], weights: list[Any]) -> list[Any]:
        """The gradients that the function itself gives."""
        given = list(self.given)
        for i in asked:
            given[i] = given[i].clone().requires_grad_()
        with torch.enable_grad():
            made = self.run(given)
            total = sum((w * m).sum() for w, m in zip(weights, made))
            found = torch.autograd.grad(total, [given[i] for i in asked], allow_unused=True)
        return [torch.zeros_like(given[i]) if g is None else g for i, g in zip(asked, found)]

    def place(self, index: int, gradient: Any, weights: list[Any], leaf: bool) -> dict[str, Any] | None:
        """One input: its gradient at a few places, as it is written and as the forward pass has it."""
        written, slopes = [], []
        flat = gradient.reshape(-1)
        for at in places(flat):
            slope = self.slope(index, at, weights)
            if slope is not None:
                written.append(float(flat[at]))
                slopes.append(slope)
            if time.monotonic() > self.until:
                break
        return judged(written, slopes, WRONG[self.kind], leaf, index)

    def slope(self, index: int, at: int, weights: list[Any]) -> float | None:
        """How the outputs follow one number of an input; none where that depends on the direction, as at a kink."""
        value = float(self.given[index].reshape(-1)[at])
        step = STEP[self.kind] * max(1.0, abs(value))
        rises = []
        for sign in (1.0, -1.0):
            moved = self.given[index].clone()
            moved.reshape(-1)[at] = value + sign * step
            with torch.no_grad():
                made = self.run([moved if i == index else g for i, g in enumerate(self.given)])
            parts = [float((w * (m - o)).sum()) for w, m, o in zip(weights, made, self.outputs)]
            rises.append(sign * sum(parts) / step)
        up, down = rises
        if abs(up - down) > STEADY[self.kind] * max(abs(up), abs(down)):
            return None
        return (up + down) / 2


def judged(written: list[float], slopes: list[float], limit: float, leaf: bool, index: int) -> dict[str, Any] | None:
    """What the places of one input say together."""
    largest = max((abs(v) for v in (*written, *slopes)), default=0.0)
    if largest == 0.0:
        return None
    off = [(w, s) for w, s in zip(written, slopes) if abs(w - s) > limit * max(abs(w), abs(s)) + FLAT * largest]
    steep = [(w, s) for w, s in off if abs(s) > FLAT * largest]
    error = max((abs(w - s) / max(abs(w), abs(s)) for w, s in off), default=0.0)
    body = {"error": error, "input": index, "places": len(slopes), "off": len(off)}
    if off and not steep:
        # Gradients pass where the output does not move: rounding, signs and clamps are trained like this.
        return {"says": "stand-in", **body}
    blocked = all(abs(w) <= FLAT * largest for w in written)
    moving = sum(abs(s) > FLAT * largest for s in slopes)
    enough = len(steep) >= min(3, len(slopes)) and 4 * len(steep) >= moving
    if not enough or (blocked and not leaf):
        return {"says": "right", **body, "error": 0.0 if not enough else error}
    worst = max(steep, key=lambda pair: abs(pair[0] - pair[1]))
    return {"says": "wrong", **body, "written": worst[0], "slope": worst[1], "ratio": ratio(steep)}


def ratio(pairs: list[tuple[float, float]]) -> float | None:
    """The factor between what is written and what is right, where it is one and the same."""
    found = [w / s for w, s in pairs]
    middle = sorted(found)[len(found) // 2]
    return middle if all(abs(f - middle) <= 0.02 * abs(middle) for f in found) else None


def places(flat: Any) -> list[int]:
    """Where to look: the largest gradients, and others spread over the whole."""
    size = flat.numel()
    if size <= PLACES:
        return list(range(size))
    largest = flat.abs().topk(PLACES // 2).indices.tolist()
    spread = torch.randperm(size, generator=torch.Generator().manual_seed(0))[: PLACES // 2].tolist()
    return list(dict.fromkeys([*largest, *spread]))


def weights_for(outputs: list[Any]) -> list[Any]:
    """What each number of the outputs counts; a single one counts one, as a loss does."""
    random = torch.Generator().manual_seed(1)
    return [
        torch.ones_like(m) if m.numel() == 1 else torch.randn(m.shape, generator=random, dtype=m.dtype)
        for m in (o.detach() for o in outputs)
    ]


def converted(value: Any, kind: Any) -> Any:
    """An argument of the call, in another precision."""
    if isinstance(value, torch.Tensor):
        found = value.detach().clone()
        return found.to(kind) if found.is_floating_point() else found
    return value


def same(made: Any, given: Any) -> bool:
    """Whether an output is an input."""
    return bool(made.shape == given.shape and torch.equal(made.detach().to(given.dtype), given))
