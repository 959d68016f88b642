"""Hand the parameters that the loss reaches and no optimizer holds to the first optimizer.

## What changes
They join its first parameter group, with that group's settings, before the first step is taken.

## What it tells
If learning gets clearly better, the parameters left out were needed.

## When it says nothing
Every parameter that the loss reaches is already held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "control"
question = "Does it learn when every parameter the loss reaches is trained?"
applies = "programs in which the loss reaches parameters that no optimizer holds"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}


class Run(Protocol):
    """What this change uses of a run."""

    count: int

    @property
    def optimizers(self) -> list[Any]: ...

    def on_step(self, function: Callable[[Any], None]) -> object: ...

    def left_out(self) -> list[Any]: ...

    def applied(self, times: int) -> None: ...


def apply(run: Run, value: str) -> None:
    """Wait for the first step: only then has a backward shown which parameters the loss reaches."""

    @run.on_step
    def adopt(optimizer: Any) -> None:
        if run.count == 0 and optimizer is run.optimizers[0]:
            missing = [p for p in run.left_out() if p.requires_grad and p.is_leaf]
            optimizer.param_groups[0]["params"].extend(missing)
            run.applied(len(missing))
