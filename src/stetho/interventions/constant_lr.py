"""Keep the learning rate at the value that training begins with: the schedule is off.

## What changes
Each group steps with its `initial_lr`, or where no scheduler has noted one, with the rate it was made with. It is lent
for the length of the step: schedulers go on counting, unheard.

## How it is known
The rate is read again after each step, while it is still lent; only steps at which the schedule had another one count.

## What it tells
If a run that stops learning goes on, its schedule took the rate away too early. If it gets worse, the schedule is
needed.

## When it says nothing
Programs whose rate never changes. Where a schedule begins low on purpose, as one-cycle schedules do, the rate stays
low.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the schedule of the learning rate?"
applies = "optimizers whose learning rate changes during training"
values = {"": "the one that training begins with"}


def apply(run: Run, value: str) -> None:
    """Lend the first rate for the length of each step."""
    first: dict[tuple[int, int], Any] = {}

    @run.on_optimizer
    def made(optimizer: Any) -> None:
        for number, group in enumerate(optimizer.param_groups):
            rate = group.get("lr")
            # An optimizer may change a rate that is a tensor in place.
            first[id(optimizer), number] = rate.clone() if run.torch.is_tensor(rate) else rate

    def begun(optimizer: Any, group: Any, was: Any) -> Any:
        number = next(n for n, other in enumerate(optimizer.param_groups) if other is group)
        wanted = group.get("initial_lr", first.setdefault((id(optimizer), number), was))
        if wanted is None or float(wanted) == float(was):
            run.refused("the learning rate is the same at every step")
            return None
        return wanted

    run.lend("lr", begun)
