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

    def early(optimizer: Any, group: Any, was: Any) -> Any:
        step = run.steps(optimizer)
        number = next(n for n, other in enumerate(optimizer.param_groups) if other is group)
        known = rates.setdefault((id(optimizer), number), [])
        known.append(was.clone() if run.torch.is_tensor(was) else was)
        if step < start:
            run.refused(f"training has not come to step {start}")
        if step < start or len(known) <= step - start:
            return None
        wanted = known[step - start]
        if float(wanted) == float(was):
            run.refused("the learning rate is what it was at the beginning")
            return None
        return wanted

    run.lend("lr", early)
