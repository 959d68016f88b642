"""Give all ranks the same weights, and let each step use the mean of their gradients.

## What changes
Before its first step each optimizer's parameters are taken from rank 0. From then on, when the gradients of a step are
all there, each is replaced by the mean over the ranks; a rank that has none for a parameter counts as zero.

## How it is known
Ranks that hold the same numbers afterwards have the same sum of them: the sums are compared.

## What it tells
If held-out results get better, the ranks had trained models of their own.

## When it says nothing
One process; models that are spread over ranks; ranks that take a different number of steps, which wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it do better when the ranks train one model?"
applies = "several ranks that hold whole models"
by_hand = False
values = {"": "every optimizer"}
alters = "evaluation"
cost = 1.3
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.87, "worse": 0.05, "new-failure": 0.04}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether ranks were compared with each other."""
    return facts.get("rank-agreement") is not None


def apply(run: Run, value: str) -> None:
    """Bring weights together once, and gradients at every step."""
    torch = run.torch
    begun: set[int] = set()

    def spread(parameters: list[Any]) -> bool:
        return any(hasattr(p, "placements") or getattr(p, "_is_flat_param", False) for p in parameters)

    @run.on_gradients
    def together(optimizer: Any) -> None:
        parts = torch.distributed
        if not (parts.is_available() and parts.is_initialized() and parts.get_world_size() > 1):
            run.refused("there is only one rank")
            return
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if spread(parameters):
            run.refused("the model is spread over the ranks")
            return
        if id(optimizer) not in begun:
            begun.add(id(optimizer))
            for parameter in parameters:
                parts.broadcast(parameter.data, 0)
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            parts.all_reduce(parameter.grad)
            parameter.grad.div_(parts.get_world_size())
        run.applied()
        ours = torch.stack([p.grad.detach().double().sum() for p in parameters]).sum()
        whole = ours.clone()
        parts.all_reduce(whole)
        if bool((whole - ours * parts.get_world_size()).abs() <= 1e-9 * (1 + whole.abs())):
            run.verified()
