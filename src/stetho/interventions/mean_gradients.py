"""Divide gradients that were added up over several backwards by their number.

## What changes
Just before a step, its gradients are divided by the backwards that were called since the last step.

## How it is known
The norm is measured before and after.

## What it tells
If the symptom goes away, steps were too large by the number of batches they were made from.

## When it says nothing
Steps of one backward. Optimizers that do not mind the scale of a gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Is the symptom made by gradients that are added up and not divided?"
applies = "programs that call backward several times for one step"
values = {"": "by the number of backwards"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.74, "worse": 0.17, "new-failure": 0.03}}


def apply(run: Run, value: str) -> None:
    """Count backwards since each optimizer's last step."""

    def norm(parameters: list[Any]) -> float:
        return float(run.torch.stack([p.grad.detach().float().norm() for p in parameters]).norm())

    @run.on_gradients
    def divide(optimizer: Any) -> None:
        count = run.watch.known(optimizer).backwards
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if count < 2 or not parameters:
            run.refused("one backward is called for a step")
            return
        before = norm(parameters)
        for parameter in parameters:
            parameter.grad.div_(count)
        run.applied()
        if before == 0 or before != before or abs(norm(parameters) * count / before - 1) < 0.01:
            run.verified()
