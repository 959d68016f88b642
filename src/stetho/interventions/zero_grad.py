"""Clear the gradients that the last step used before the next backward adds to them.

## What changes
Where the program itself clears its gradients, nothing. Where it does not, each step sees the gradient of
its own batches only.

## What it tells
If the symptom goes away, gradients carried over from earlier steps made it.

## When it says nothing
A program that clears its gradients already: the change is then never applied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "control"
question = "Is the trouble made by gradients carried over from earlier steps?"
applies = "any optimizer whose gradients are not cleared between steps"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}


class Run(Protocol):
    """What this change uses of a run."""

    watch: Any

    @property
    def optimizers(self) -> list[Any]: ...

    def on_backward(self, function: Callable[[], None]) -> object: ...

    def gradients_used(self, optimizer: Any) -> bool: ...

    def applied(self) -> None: ...


def apply(run: Run, value: str) -> None:
    """Clear just before backward: only then is it sure that the program itself did not."""

    @run.on_backward
    def clear() -> None:
        for optimizer in run.optimizers:
            if run.gradients_used(optimizer):
                optimizer.zero_grad()
                run.watch.known(optimizer).cleared = True
                run.applied()
