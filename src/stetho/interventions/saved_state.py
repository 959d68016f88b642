"""Let the optimizer and its schedule go on from the state in the file that the program has read.

## What changes
Before the first step of an optimizer that has no state yet, the state that was last read from a file and fits its
parameters shape by shape is loaded into it; its settings stay as they are. A schedule at its beginning goes on from the
state of a schedule of the same kind and settings in that file, and with it the learning rate. Weights are not touched.

## How it is known
Each tensor of the optimizer's state is compared with what was read, and the schedule and its rate are read again.

## What it tells
If a loss that rises after a resume stays where it was, it was the state of the optimizer or of the schedule that was
lost.

## When it says nothing
No file that was read holds a state that fits, or the program goes on from it already.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it go on where it was with the optimizer's and the schedule's state that the program has read?"
applies = "programs that read the state of an optimizer or a schedule before they train"
by_hand = False
alters = "start"
values = {"": "that which was read last"}
backgrounds = {"": {"symptom-gone": 0.005, "better": 0.015, "same": 0.83, "worse": 0.12, "new-failure": 0.03}}


def apply(run: Run, value: str) -> None:
    """Keep the states that are read, and load those that fit before the first step."""
    torch = run.torch
    read: list[dict[str, Any]] = []
    begun: set[int] = set()

    def load(original: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if not begun:
            read.extend(copy.deepcopy(run.saved_states(result)))
        return result

    run.instead(torch, "load", load)

    @run.on_step
    def first(optimizer: Any) -> None:
        if id(optimizer) in begun:
            return
        begun.add(id(optimizer))
        done = [put_state(optimizer), *(put_schedule(optimizer, s) for s in run.schedulers(optimizer))]
        if not any(done):
            run.refused("nothing was read that fits an optimizer or a schedule at its beginning")

    def put_state(optimizer: Any) -> bool:
        saved = next((one for one in reversed(read) if run.continues(optimizer, one)), None)
        if saved is None:
            return False
        optimizer.load_state_dict({"state": saved["state"], "param_groups": optimizer.state_dict()["param_groups"]})
        run.applied()
        if holds(optimizer, saved):
            run.verified()
        return True

    def holds(optimizer: Any, saved: dict[str, Any]) -> bool:
        held = [p for group in optimizer.param_groups for p in group["params"]]
        numbers = [n for group in saved["param_groups"] for n in group["params"]]
        return all(
            torch.equal(torch.as_tensor(optimizer.state[p][key]).detach().float().cpu(), value.detach().float().cpu())
            for p, n in zip(held, numbers)  # noqa: B905 - Python 3.9
            for key, value in saved["state"].get(n, {}).items()
            if torch.is_tensor(value)
        )

    def put_schedule(optimizer: Any, scheduler: Any) -> bool:
        saved = next((one for one in reversed(read) if run.continues(scheduler, one)), None)
        if saved is None:
            return False
        scheduler.load_state_dict(saved)
        rates = saved.get("_last_lr") or []
        for group, rate in zip(optimizer.param_groups, rates):  # noqa: B905 - Python 3.9
            if torch.is_tensor(group["lr"]):
                group["lr"].fill_(float(rate))
            else:
                group["lr"] = float(rate)
        run.applied()
        now = [float(group["lr"]) for group in optimizer.param_groups]
        if scheduler.last_epoch == saved["last_epoch"] and (not rates or now == [float(rate) for rate in rates]):
            run.verified()
        return True
