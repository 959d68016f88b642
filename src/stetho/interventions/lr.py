"""Scale or set the learning rate of every parameter group, schedule included.

## What changes
The rate in force at each step, and nothing else: it is scaled just before the optimizer steps and put
back right after, so that schedulers see their own numbers.

## What it tells
A rate ten times smaller calms a run that diverges because of the rate; it also calms a missing
zero_grad, a sum reduction and unnormalised inputs, so it proves little alone. A larger one speeds up
a run whose updates are too small to matter.

## When it says nothing
An optimizer without a learning rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "control"
question = "Does the symptom follow the learning rate?"
applies = "any optimizer with an lr"
# Faults that a smaller rate is known to calm say so in their own files; for the rest it seldom is a cure.
backgrounds = {
    "x0.1": {"symptom-gone": 0.06, "better": 0.17, "same": 0.47, "worse": 0.25, "new-failure": 0.05},
    "x0.01": {"symptom-gone": 0.06, "better": 0.14, "same": 0.45, "worse": 0.30, "new-failure": 0.05},
    "x10": {"symptom-gone": 0.04, "better": 0.16, "same": 0.42, "worse": 0.28, "new-failure": 0.10},
    "x100": {"symptom-gone": 0.03, "better": 0.07, "same": 0.40, "worse": 0.35, "new-failure": 0.15},
    "x1000": {"symptom-gone": 0.03, "better": 0.05, "same": 0.35, "worse": 0.37, "new-failure": 0.20},
}

groups = {"x0.1": "lower", "x0.01": "lower", "x10": "higher", "x100": "higher", "x1000": "higher"}


class Run(Protocol):
    """What this change uses of a run."""

    def on_step(self, function: Callable[[Any], None]) -> object: ...

    def on_stepped(self, function: Callable[[Any], None]) -> object: ...

    def applied(self) -> None: ...


def apply(run: Run, value: str) -> None:
    """Change the rate for the length of each step only; `x10` scales it, a plain number sets it."""
    factor = float(value[1:]) if value.startswith("x") else None
    before: dict[int, Any] = {}

    @run.on_step
    def scale(optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if group.get("lr") is not None:
                before[id(group)] = group["lr"]
                group["lr"] = group["lr"] * factor if factor is not None else float(value)
                run.applied()

    @run.on_stepped
    def restore(optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if id(group) in before:
                group["lr"] = before.pop(id(group))
