"""Set the weight decay of the optimizer, decoupled or not, or switch it off.

## What changes
The `weight_decay` of each group that has one above 0, for the length of each step; where no group has, that of all.
Groups at 0 beside others are spared on purpose, as biases are, and stay so.

## How it is known
At the first steps the smallest parameter of a group is stepped alone, on copies, with the old decay and with the new
one: the program's own step must give what the new one gives. Later the setting is read again after each step.

## What it tells
If learning gets better without, the decay pulled the weights down faster than they grew. If held-out loss gets better
with more, the model remembered its samples.

## When it says nothing
Optimizers without such a setting, and penalties that the loss itself has.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the weight decay?"
applies = "optimizers with a weight_decay"
values = {"V": "V for every group that decays", "0": "no decay"}
example = "0"
# A model without decay fits its training data a little better, in health, too.
backgrounds = {"0": {"symptom-gone": 0.02, "better": 0.03, "same": 0.83, "worse": 0.10, "new-failure": 0.02}}
# Steps at which a parameter is stepped alone; what holds for the first ones holds for the others.
CLOSE = 3


def read(value: str) -> float:
    """The decay."""
    decay = float(value)
    if not 0 <= decay < float("inf"):
        raise ValueError("a decay is not negative")
    return decay


def apply(run: Run, value: str) -> None:
    """Lend the decay to the groups for the length of each step."""
    torch, wanted = run.torch, read(value)
    expected: dict[int, tuple[Any, Any, Any]] = {}

    def alone(optimizer: Any, group: Any, parameter: Any, decay: Any) -> Any:
        """What a step with this decay makes of one parameter, found on copies; None where it cannot be found so."""
        try:
            twin, one = copy.copy(optimizer), torch.nn.Parameter(parameter.detach().clone())
            one.grad = parameter.grad.detach().clone()
            twin.param_groups = [{**group, "params": [one], "weight_decay": decay}]
            twin.state = defaultdict(dict, {one: copy.deepcopy(dict(optimizer.state.get(parameter, {})))})
            # Below the hooks that count the steps of optimizers.
            step = type(optimizer).step
            getattr(step, "__wrapped__", step)(twin)
        except Exception:  # noqa: BLE001 - an optimizer of any kind; what it cannot do alone is not looked at
            return None
        return one.detach()

    def decay(optimizer: Any, group: Any, was: Any) -> Any:
        if not was and any(g.get("weight_decay") for g in optimizer.param_groups):
            return None
        if was == wanted:
            run.refused(f"the weight decay is {wanted:g} already")
        elif wanted and any(p.grad is not None and p.grad.is_sparse for p in group["params"]):
            run.refused("torch has no weight decay for sparse gradients")
        else:
            return wanted
        return None

    def look(group: Any) -> str:
        one, old, new = expected.pop(id(group), (None, None, None))
        if one is not None and torch.equal(one.detach(), old) and not torch.equal(old, new):
            return "the optimizer takes its weight decay from elsewhere"
        return ""

    lending = run.lend("weight_decay", decay, look)

    @run.on_gradients
    def step_alone(optimizer: Any) -> None:
        # The copy of one that wraps another would step the other itself, and not a copy of it.
        if run.steps(optimizer) >= CLOSE or wraps(optimizer):
            return
        for group in optimizer.param_groups:
            found = [p for p in group["params"] if p.grad is not None and not p.grad.is_sparse and bool(p.any())]
            loan = lending.of(group)
            if loan is not None and found:
                one = min(found, key=lambda p: p.numel())
                old, new = (alone(optimizer, group, one, decay) for decay in (loan.was, wanted))
                if old is not None and new is not None:
                    expected[id(group)] = (one, old, new)

    def wraps(optimizer: Any) -> bool:
        parts = [item for part in vars(optimizer).values() for item in (part if type(part) is list else [part])]
        return any(isinstance(part, torch.optim.Optimizer) or hasattr(part, "param_groups") for part in parts)
