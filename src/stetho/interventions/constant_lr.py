"""Keep the learning rate at the value that training begins with, or at its full height: the schedule is off.

## What changes
Each group steps with its `initial_lr`, or where no scheduler has noted one, with the rate it was made with. It is lent
for the length of the step: schedulers go on counting, unheard. With `full` it is the highest rate that the program
names: the optimizer's own, the one that its schedule starts from, or the schedule's peak.

## How it is known
The rate is read again after each step, while it is still lent; only steps at which the schedule had another one count.

## What it tells
If a run that stops learning goes on, its schedule took the rate away too early. If it gets worse, the schedule is
needed.

## When it says nothing
Programs whose rate is that one at every step. Where a schedule begins low on purpose, as one-cycle schedules do, the
rate stays low without `full`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the schedule of the learning rate?"
applies = "optimizers whose learning rate changes during training"
values = {"": "the one that training begins with", "full": "the highest that the program names"}
backgrounds = {"full": {"symptom-gone": 0.02, "better": 0.03, "same": 0.67, "worse": 0.20, "new-failure": 0.08}}


def read(value: str) -> str:
    """Which rate."""
    if value not in ("", "full"):
        raise ValueError("it is the first rate, or the full one")
    return value


def apply(run: Run, value: str) -> None:
    """Lend the first rate, or the highest one, for the length of each step."""
    full = read(value) == "full"
    first: dict[tuple[int, int], Any] = {}

    @run.on_optimizer
    def made(optimizer: Any) -> None:
        for number, group in enumerate(optimizer.param_groups):
            rate = group.get("lr")
            # An optimizer may change a rate that is a tensor in place.
            first[id(optimizer), number] = rate.clone() if run.torch.is_tensor(rate) else rate

    def begun(optimizer: Any, group: Any, was: Any) -> Any:
        number = next(n for n, other in enumerate(optimizer.param_groups) if other is group)
        own = first.setdefault((id(optimizer), number), was)
        wanted = highest(optimizer, group, number, own) if full else group.get("initial_lr", own)
        if wanted is None or float(wanted) == float(was):
            run.refused("the learning rate is the same at every step")
            return None
        return wanted

    def highest(optimizer: Any, group: Any, number: int, own: Any) -> Any:
        named = [own, group.get("initial_lr"), group.get("max_lr")]
        for schedule in run.schedulers(optimizer):
            named += list(getattr(schedule, "max_lrs", None) or ())[number : number + 1]
        return max((rate for rate in named if rate is not None), key=float, default=None)

    run.lend("lr", begun)
