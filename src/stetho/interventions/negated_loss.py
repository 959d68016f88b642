"""Turn the sign of the loss round.

## What changes
Backward is called on minus the loss.

## How it is known
The value that backward is called on is minus the program's.

## What it tells
If it learns now, the program has made large what it should make small.

## When it says nothing
A loss without a graph; gradients that are asked for by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the loss has the other sign?"
applies = "losses that backward is called on"
by_hand = False
values = {"": "every loss"}
alters = "loss"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.02, "same": 0.20, "worse": 0.66, "new-failure": 0.10}}


def apply(run: Run, value: str) -> None:
    """Put minus the loss in its place."""

    @run.on_objective
    def turned(loss: Any) -> Any:
        if loss.grad_fn is None:
            run.refused("the loss has no graph")
            return loss
        other = -loss
        run.applied()
        if float(other.detach()) + float(loss.detach()) == 0 or not run.torch.isfinite(loss.detach()):
            run.verified()
        return other
