"""Begin the schedule of the learning rate anew, in the middle of training.

## What changes
From step N on each group steps with the rates it had at steps 0, 1, 2 and so on. They are lent for the length of the
step: schedulers go on counting, unheard. Weights and the optimizer's state stay as they are.

## How it is known
The rate is read again after each step, while it is still lent; only steps at which the program had another one count.

## What it tells
If a loss that had stopped falling falls again, the rate was too small by then and not the model at its end.

## When it says nothing
Runs that end before step N, and programs whose rate never changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does learning go on when the learning rate is what it was at the beginning?"
applies = "optimizers whose learning rate changes during training"
values = {"N": "from step N on"}
example = "100"


def read(value: str) -> int:
    """The step at which the schedule begins anew."""
    step = int(value)
    if step < 1:
        raise ValueError("a restart comes after the first step at the earliest")
    return step


def apply(run: Run, value: str) -> None:
    """Note the rates of every step, and lend the early ones to the late steps."""
    start = read(value)
    rates: dict[tuple[int, int], list[Any]] = {}
    before: dict[int, Any] = {}
    lent: dict[int, float] = {}

    @run.on_step
    def lend(optimizer: Any) -> None:
        step = run.steps(optimizer)
        if step < start:
            run.refused(f"training has not come to step {start}")
        for number, group in enumerate(optimizer.param_groups):
            rate = group.get("lr")
            if rate is None:
                run.refused("the optimizer has no learning rate")
                continue
            known = rates.setdefault((id(optimizer), number), [])
            known.append(rate.clone() if run.torch.is_tensor(rate) else rate)
            if step < start or len(known) <= step - start:
                continue
            wanted = known[step - start]
            if float(wanted) == float(rate):
                run.refused("the learning rate is what it was at the beginning")
                continue
            before[id(group)] = rate
            group["lr"] = wanted
            lent[id(group)] = float(wanted)
            run.applied()

    @run.on_stepped
    def look_and_restore(optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if id(group) not in before:
                continue
            if float(group["lr"]) == lent.pop(id(group)):
                run.verified()
            else:
                run.contradicted("the optimizer sets its learning rate itself, within the step")
            group["lr"] = before.pop(id(group))
