"""Clip the gradients just before the step, at the program's own limit, where it clips at another time.

## What changes
Once the program has clipped at a norm, each step whose gradients it has not clipped since backward uses gradients that
are clipped to that norm.

## How it is known
The norm is measured again after the scaling.

## What it tells
If a run that diverges is calm then, its clipping comes at the wrong time.

## When it says nothing
Programs that clip between backward and step, do not clip, or clip by value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Is the symptom gone when gradients are clipped between backward and step?"
applies = "programs that call torch's clip_grad_norm_ at another time"
values = {"": "at the program's own limit"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.76, "worse": 0.13, "new-failure": 0.05}}


def apply(run: Run, value: str) -> None:
    """Note the limit that the program asks for, and whether it was in time."""
    torch = run.torch
    asked: dict[str, Any] = {"limit": None, "in time": False}

    def norm(parameters: list[Any]) -> float:
        return float(torch.stack([p.grad.detach().float().norm() for p in parameters]).norm())

    @run.on_clip
    def note(limit: Any) -> None:
        asked["limit"], asked["in time"] = float(limit), True

    @run.on_backward
    def forget(losses: Any) -> None:
        asked["in time"] = False

    @run.on_gradients
    def clip(optimizer: Any) -> None:
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        limit = asked["limit"]
        if limit is None or not parameters:
            return
        if asked["in time"]:
            run.refused("the program clips its gradients in time")
            return
        total = norm(parameters)
        if total > limit:
            for parameter in parameters:
                parameter.grad.mul_(limit / (total + 1e-6))
        run.applied()
        if norm(parameters) <= limit * 1.001 or total != total:
            run.verified()
