"""Give gradients back that were cleared between backward and the step.

## What changes
Where a step would find no gradients, or zeros, for parameters that the last backward has given some, they get these
back just before the step, as they were when they were cleared: clipped and unscaled, if that came first.

## How it is known
Parameters that got their gradient back are others after the step than before it.

## What it tells
If the model now learns, its gradients were cleared before they could be used.

## When it says nothing
Programs whose steps find their gradients. Gradients that are cleared between several backwards of one step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when each step finds the gradients that backward has made?"
applies = "programs that clear gradients between backward and step"
values = {"": "just before the step"}


def apply(run: Run, value: str) -> None:
    """Note the gradients when backward has made them and copy what is about to be overwritten with zeros."""
    torch = run.torch
    made: dict[int, tuple[Any, Any]] = {}
    places: dict[int, int] = {}
    kept: dict[int, Any] = {}
    moved: list[tuple[Any, Any]] = []

    def held(optimizer: Any) -> list[Any]:
        return [p for group in optimizer.param_groups for p in group["params"]]

    @run.on_backward
    def forget(losses: Any) -> None:
        """What was cleared before a backward was meant to be."""
        for table in (made, places, kept):
            table.clear()

    @run.on_backward_over
    def note() -> None:
        for optimizer in run.optimizers:
            for parameter in held(optimizer):
                gradient = parameter.grad
                if gradient is None:
                    continue
                made[id(parameter)] = (parameter, gradient)
                if not gradient.is_sparse:
                    places[gradient.data_ptr()] = id(parameter)

    def cleared(parameters: Any) -> None:
        for parameter in parameters:
            known = made.get(id(parameter))
            if known is not None and parameter.grad is known[1] and id(parameter) not in kept:
                kept[id(parameter)] = known[1].detach().clone()

    def by_optimizer(args: Any, kwargs: Any) -> None:
        if made:
            cleared(held(args[0]))

    def by_module(args: Any, kwargs: Any) -> None:
        if made:
            cleared(args[0].parameters())

    def by_hand(args: Any, kwargs: Any) -> None:
        if not made or args[0].is_sparse:
            return
        known = made.get(places.get(args[0].data_ptr(), 0))
        if known is not None:
            cleared([known[0]])

    run.before(torch.optim.Optimizer, "zero_grad", by_optimizer)
    run.before(torch.nn.Module, "zero_grad", by_module)
    run.before(torch.Tensor, "zero_", by_hand)

    def unscaled(args: Any, kwargs: Any) -> None:
        """A scaler takes its factor out of the gradients that are there; those that were cleared have it still."""
        scaler, optimizer = args[0], kwargs.get("optimizer", args[1] if len(args) > 1 else None)
        for parameter in held(optimizer):
            if parameter.grad is None and id(parameter) in made:
                kept.setdefault(id(parameter), made[id(parameter)][1])
            if id(parameter) in kept:
                kept[id(parameter)] = kept[id(parameter)] / scaler.get_scale()
                finite(kept[id(parameter)])

    def finite(gradient: Any) -> None:
        if not bool(gradient.isfinite().all()):
            run.contradicted("the scaler would have left out steps whose gradients were cleared")

    run.before(getattr(torch.amp, "GradScaler", None) or torch.cuda.amp.GradScaler, "unscale_", unscaled)

    @run.on_gradients
    def give_back(optimizer: Any) -> None:
        found = given = 0
        for parameter in held(optimizer):
            if id(parameter) not in made:
                continue
            gradient = parameter.grad
            before = kept.get(id(parameter), made[id(parameter)][1])
            if gradient is None or (id(parameter) in kept and not bool(gradient.any())):
                parameter.grad = before
                if getattr(optimizer, "grad_scale", None) is not None:
                    finite(before)
                moved.append((parameter, parameter.detach().clone()))
                given += 1
            found += 1
        # What this step uses is not for the next one.
        for parameter in held(optimizer):
            made.pop(id(parameter), None)
            kept.pop(id(parameter), None)
        if given:
            run.applied(given)
        elif found:
            run.refused("the steps find their gradients")
        else:
            run.refused("no backward has made gradients for the step")

    @run.on_stepped
    def look(optimizer: Any) -> None:
        run.verified(sum(not torch.equal(p.detach(), before) for p, before in moved))
        moved.clear()
