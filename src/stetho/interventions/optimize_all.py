"""Hand the parameters that the loss reaches and no optimizer holds to the first optimizer.

## What changes
They join its first parameter group, with that group's settings, before the first step is taken; what is frozen until
later joins before the first step that it has a gradient for.

## How it is known
After a few steps the parameters that joined are no longer what they were.

## What it tells
If learning gets clearly better, the parameters left out were needed.

## When it says nothing
Every parameter that the loss reaches is already held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when every parameter the loss reaches is trained?"
applies = "programs in which the loss reaches parameters that no optimizer holds"
values = {"": "all that the loss reaches"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}


def apply(run: Run, value: str) -> None:
    """Wait for gradients: only then has a backward shown which parameters the loss reaches, and which are thawed."""
    joined: list[tuple[Any, Any]] = []

    @run.on_gradients
    def adopt(optimizer: Any) -> None:
        if run.count or optimizer is not run.optimizers[0]:
            return
        missing = [p for p in run.left_out() if p.requires_grad and p.is_leaf]
        if not missing:
            if not run.steps(optimizer):
                run.refused("every parameter that the loss reaches is held by an optimizer")
            return
        optimizer.param_groups[0]["params"].extend(missing)
        joined.extend((p, p.detach().clone()) for p in missing)
        run.applied(len(missing))

    @run.on_stepped
    def look(optimizer: Any) -> None:
        for pair in list(joined):
            if not run.torch.equal(pair[0].detach(), pair[1]):
                joined.remove(pair)
                run.verified()
