"""Let the optimizer step after each backward, where the program leaves that out.

## What changes
Once backward has been called several times without a step, each one is followed by a step of every optimizer that it
has made gradients for, and the gradients are cleared.

## How it is known
Parameters are others after the step than before it.

## What it tells
If the model now learns, what was missing is the step.

## When it says nothing
Programs whose steps come at least once in a few backwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Does it learn when the optimizer steps after each backward?"
applies = "optimizers of torch's that do not step after most backwards"
values = {"": "after each backward"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.70, "worse": 0.18, "new-failure": 0.07}}
# Backwards in a row that no step has followed, before the steps begin.
PATIENCE = 16


def apply(run: Run, value: str) -> None:
    """Count backwards since the program's own step."""
    torch = run.torch
    state = {"since": 0, "ours": 0}

    @run.on_stepped
    def stepped(optimizer: Any) -> None:
        if not state["ours"] and state["since"] < PATIENCE:
            run.refused("the program steps after its backwards")
            state["since"] = 0

    @run.on_backward_over
    def step() -> None:
        state["since"] += 1
        if state["since"] < PATIENCE or state["ours"]:
            return
        for optimizer in run.optimizers:
            held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
            if not held:
                continue
            before = held[0].detach().clone()
            state["ours"] = 1
            try:
                optimizer.step()
            finally:
                state["ours"] = 0
            run.applied()
            if not torch.equal(before, held[0].detach()):
                run.verified()
            for parameter in held:
                parameter.grad = None
