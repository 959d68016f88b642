"""Clear the gradients that the last step used before the next backward adds to them.

## What changes
Where the program itself clears its gradients, nothing. Where it does not, each step sees the gradient of
its own batches only.

## How it is known
After the clearing no parameter of the optimizer has a gradient other than zero.

## What it tells
If the symptom goes away, gradients carried over from earlier steps made it.

## When it says nothing
A program that clears its gradients already: the change is then never applied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Is the trouble made by gradients carried over from earlier steps?"
applies = "any optimizer whose gradients are not cleared between steps"
values = {"": "before each backward that follows a step"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}


def apply(run: Run, value: str) -> None:
    """Clear just before backward: only then is it sure that the program itself did not."""

    @run.on_backward
    def clear(losses: Any) -> None:
        for optimizer in run.optimizers:
            if not run.gradients_used(optimizer):
                run.refused("the program clears its gradients itself")
                continue
            optimizer.zero_grad()
            run.watch.known(optimizer).cleared = True
            run.applied()
            grads = [p.grad for group in optimizer.param_groups for p in group["params"]]
            if all(g is None or not bool(g.any()) for g in grads):
                run.verified()
