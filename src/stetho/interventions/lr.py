"""Scale or set the learning rate of every parameter group, schedule included.

## What changes
The rate in force at each step, and nothing else: it is scaled just before the optimizer steps and put
back right after, so that schedulers see their own numbers.

## How it is known
The rate is read again after each step, while it is still lent; under a rate of 0, a parameter of each group is
compared with itself before the step.

## What it tells
A rate ten times smaller calms a run that diverges because of the rate; it also calms a missing
zero_grad, a sum reduction and unnormalised inputs, so it proves little alone. A larger one speeds up
a run whose updates are too small to matter. Under a rate of 0 nothing is learned: what still changes is not learning.

## When it says nothing
An optimizer without a learning rate, one that takes it from elsewhere, or updates written by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the learning rate?"
applies = "any optimizer of torch's with an lr"
values = {"xK": "K times the program's own", "V": "V at every step", "0": "no learning at all"}
example = "x10"
# Faults that a smaller rate is known to calm say so in their own files; for the rest it seldom is a cure.
backgrounds = {
    "x0.1": {"symptom-gone": 0.06, "better": 0.17, "same": 0.47, "worse": 0.25, "new-failure": 0.05},
    "x0.01": {"symptom-gone": 0.06, "better": 0.14, "same": 0.45, "worse": 0.30, "new-failure": 0.05},
    "x10": {"symptom-gone": 0.04, "better": 0.16, "same": 0.42, "worse": 0.28, "new-failure": 0.10},
    "x100": {"symptom-gone": 0.03, "better": 0.07, "same": 0.40, "worse": 0.35, "new-failure": 0.15},
    "x1000": {"symptom-gone": 0.03, "better": 0.05, "same": 0.35, "worse": 0.37, "new-failure": 0.20},
}

groups = {"x0.1": "lower", "x0.01": "lower", "x10": "higher", "x100": "higher", "x1000": "higher"}


def read(value: str) -> tuple[bool, float]:
    """Whether a value is a factor, and its number."""
    number = float(value[1:] if value.startswith("x") else value)
    if not 0 <= number < float("inf"):
        raise ValueError("a rate is a finite number from 0 up")
    return value.startswith("x"), number


def apply(run: Run, value: str) -> None:
    """Change the rate for the length of each step only."""
    scales, number = read(value)
    still: dict[int, Any] = {}

    def rate(optimizer: Any, group: Any, was: Any) -> Any:
        if number == 0 and group["params"]:
            still[id(group)] = group["params"][0].detach().clone()
        return was * number if scales else number

    def look(group: Any) -> str:
        kept = still.pop(id(group), None)
        if kept is None or run.torch.equal(kept, group["params"][0].detach()):
            return ""
        return "the optimizer moves its parameters at a rate of 0"

    run.lend("lr", rate, look)
