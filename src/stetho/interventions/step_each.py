"""Let the optimizer step after each backward, where the program leaves that out.

## What changes
Once backward has been called several times without a step, each one is followed by a step of every optimizer that it
has made gradients for, and the gradients are cleared.

## How it is known
Parameters are others after the step than before it.

## What it tells
If the model now learns, what was missing is the step.

## When it says nothing
Programs whose steps come at least once in a few backwards, call for the backwards themselves, or follow on the rounds
of an attack on the inputs.
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
# Backwards in a row that no step has followed, before the steps begin; and so many where each asks for gradients of
# what the optimizers do not own, as the rounds of an attack on an input do.
PATIENCE, ROUNDS = 16, 128


def apply(run: Run, value: str) -> None:
    """Count backwards since the program's own step."""
    torch = run.torch
    state = {"since": 0, "rounds": 0, "inside": 0}
    reached: set[int] = set()

    def waits() -> bool:
        return state["since"] < PATIENCE and state["rounds"] < ROUNDS

    @run.on_step
    def steps(optimizer: Any) -> None:
        state["inside"] = 1

    @run.on_stepped
    def stepped(optimizer: Any) -> None:
        state["inside"] = 0
        if waits():
            run.refused("the program steps after its backwards")
            state["since"] = state["rounds"] = 0

    @run.on_backward
    def asked(losses: Any) -> None:
        reached.clear()
        # What a closure makes is used by the step that has called it.
        if state["inside"]:
            return
        leaves = [leaf for loss in losses for leaf in run.trained_by(loss)]
        own = {id(p) for optimizer in run.optimizers for group in optimizer.param_groups for p in group["params"]}
        reached.update(own & {id(leaf) for leaf in leaves})
        if reached:
            beyond = any(id(leaf) not in own and not isinstance(leaf, torch.nn.Parameter) for leaf in leaves)
            state["rounds" if beyond else "since"] += 1

    @run.on_backward_over
    def step() -> None:
        if not reached or waits():
            return
        for optimizer in run.optimizers:
            held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
            made = [p for p in held if id(p) in reached]
            if not made:
                continue
            before = made[0].detach().clone()
            run.step_aside(optimizer)
            run.applied()
            if not torch.equal(before, made[0].detach()):
                run.verified()
            for parameter in held:
                parameter.grad = None
