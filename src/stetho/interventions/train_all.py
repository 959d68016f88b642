"""Train every parameter that the model uses: frozen ones are thawed, those left out are given to the optimizer.

## What changes
Parameters of a model in training that ask for no gradient ask for one, before each call. What then gets a gradient and
is held by no optimizer joins the first group of the first one, with that group's settings, before the first step.

## How it is known
After a few steps the parameters that were thawed or joined are no longer what they were.

## What it tells
If learning gets clearly better, what was frozen or left out was needed.

## When it says nothing
Every parameter is trained already; parts of a model that run without gradients on purpose; models that the optimizers
hold nothing of, as those that only judge others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when every parameter of the model is trained?"
applies = "models with parameters that are frozen or that no optimizer holds"
values = {"": "all that the model uses"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}


def apply(run: Run, value: str) -> None:
    """Thaw before the model is called; adopt at the first step, when gradients have shown what is used."""
    torch = run.torch
    thawed: dict[int, Any] = {}
    changed: list[tuple[Any, Any]] = []
    state = {"adopted": False}

    def held() -> set[int]:
        return {id(p) for optimizer in run.optimizers for group in optimizer.param_groups for p in group["params"]}

    def thaw(module: Any) -> None:
        for parameter in module.parameters():
            if not parameter.requires_grad and (parameter.is_floating_point() or parameter.is_complex()):
                parameter.requires_grad_(True)
                thawed[id(parameter)] = parameter

    @run.on_entering
    def enter(module: Any, training: bool) -> None:
        known = held()
        if training and any(id(p) in known for p in module.parameters()):
            thaw(module)

    def wrap(args: Any, kwargs: Any) -> None:
        """What is not trained when it is spread over ranks is never put together from their gradients."""
        module = kwargs.get("module", args[1] if len(args) > 1 else None)
        if isinstance(module, torch.nn.Module) and any(p.requires_grad for p in module.parameters()):
            thaw(module)

    run.before(torch.nn.parallel.DistributedDataParallel, "__init__", wrap)

    @run.on_gradients
    def adopt(optimizer: Any) -> None:
        if state["adopted"] or optimizer is not run.optimizers[0]:
            return
        state["adopted"] = True
        known = held()
        found = [*thawed.values(), *run.left_out()]
        used = {id(p): p for p in found if p.is_leaf and p.requires_grad and p.grad is not None}
        if not used:
            run.refused("every parameter that the model uses is trained already")
        optimizer.param_groups[0]["params"].extend(p for key, p in used.items() if key not in known)
        changed.extend((p, p.detach().clone()) for p in used.values())
        run.applied(len(used))

    @run.on_stepped
    def look(optimizer: Any) -> None:
        for pair in list(changed):
            if not torch.equal(pair[0].detach(), pair[1]):
                changed.remove(pair)
                run.verified()
