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
        raise ValueError("a rate is not negative")
    return value.startswith("x"), number


def apply(run: Run, value: str) -> None:
    """Change the rate for the length of each step only."""
    scales, number = read(value)
    before: dict[int, Any] = {}
    still: dict[int, Any] = {}

    @run.on_step
    def lend(optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if group.get("lr") is None:
                run.refused("the optimizer has no learning rate")
                continue
            before[id(group)] = group["lr"]
            group["lr"] = group["lr"] * number if scales else number
            run.applied()
            if number == 0 and group["params"]:
                still[id(group)] = group["params"][0].detach().clone()

    @run.on_stepped
    def look_and_restore(optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if id(group) not in before:
                continue
            was = before.pop(id(group))
            wanted = was * number if scales else number
            kept = still.pop(id(group), None)
            if float(group["lr"]) != float(wanted):
                run.contradicted("the optimizer sets its learning rate itself, within the step")
            elif kept is not None and not run.torch.equal(kept, group["params"][0].detach()):
                run.contradicted("the optimizer moves its parameters at a rate of 0")
            else:
                run.verified()
            group["lr"] = was
