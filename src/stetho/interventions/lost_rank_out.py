"""Leave out what one rank gives to a step when it is NaN or Inf there and on no other rank.

## What changes
When the loss of one rank alone is not finite, it trains on nothing in that step; when its gradients are not, they are
zeros, before those of the other ranks are added. The mean is still over all ranks. Gradients that
DistributedDataParallel would bring together during backward are brought together right after it. When several ranks
are not finite at once, nothing is changed.

## How it is known
The ranks agree at each backward on who is not finite; the gradients of such a step are finite afterwards.

## What it tells
If the run stays finite and learns, one rank has spoilt it for all.

## When it says nothing
One process; models that are spread over ranks; more than one rank that is lost, each at another step: then it is
nothing about a rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it stay finite, and learn, without the one rank where it is not?"
applies = "several ranks that hold whole models"
by_hand = False
values = {"": "in the steps where one rank alone is not finite"}
cost = 1.3
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.84, "worse": 0.04, "new-failure": 0.06}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether one rank was lost by itself."""
    return facts.get("lost-rank") is not None


class Ranks:
    """Who is not finite in the backward under way, as all ranks know it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.group = run.torch.distributed
        self.left: set[int] = set()
        self.due = False

    def several(self) -> bool:
        return bool(self.group.is_available() and self.group.is_initialized() and self.group.get_world_size() > 1)

    def alone(self, bad: bool, device: Any) -> bool:
        """Whether this rank is to be left out: it is not finite, and all others are."""
        flags = self.run.torch.zeros(self.group.get_world_size(), device=device)
        flags[self.group.get_rank()] = float(bad)
        self.group.all_reduce(flags)
        lost = [rank for rank, flag in enumerate(flags.tolist()) if flag]
        if len(lost) != 1:
            return False
        self.left.update(lost)
        if len(self.left) > 1:
            self.run.contradicted(f"ranks {', '.join(map(str, sorted(self.left)))} are not finite, each at its time")
        self.due = True
        self.run.applied()
        return bool(lost[0] == self.group.get_rank())


def apply(run: Run, value: str) -> None:
    """Look at each loss before backward, and at each gradient after it and before the exchange."""
    torch, ranks = run.torch, Ranks(run)
    wrapper, waiting = torch.nn.parallel.DistributedDataParallel, []

    def held() -> list[Any]:
        return [p for one in run.optimizers if one is not None for group in one.param_groups for p in group["params"]]

    def finite(tensors: list[Any]) -> bool:
        return all(bool(t.detach().isfinite().all()) for t in tensors)

    def later(original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        if not (module.require_backward_grad_sync and torch.is_grad_enabled()):
            return original(module, *args, **kwargs)
        module.require_backward_grad_sync = False
        try:
            return original(module, *args, **kwargs)
        finally:
            module.require_backward_grad_sync = module.require_forward_param_sync = True
            if module not in waiting:
                waiting.append(module)

    run.instead(wrapper, "forward", later)

    @run.on_objective
    def without_loss(loss: Any) -> Any:
        if not ranks.several() or not ranks.alone(not finite([loss]), loss.device):
            return loss
        return sum((leaf * 0.0).sum() for leaf in run.trained_by(loss)).reshape(loss.shape).to(loss.dtype)

    @run.on_backward_over
    def without_gradients() -> None:
        parameters = held()
        if not ranks.several() or not parameters:
            run.refused("there is only one rank")
            return
        if any(hasattr(p, "placements") or getattr(p, "_is_flat_param", False) for p in parameters):
            run.refused("the model is spread over the ranks")
            return
        mine = [p for p in parameters if p.grad is not None]
        if ranks.alone(not finite([p.grad for p in mine]), parameters[0].device):
            for parameter in mine:
                parameter.grad = torch.zeros_like(parameter.grad)
        while waiting:
            together(run, waiting.pop())

    @run.on_gradients
    def stays_finite(optimizer: Any) -> None:
        if not ranks.due:
            return
        ranks.due = False
        if finite([p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]):
            run.verified()


def together(run: Run, module: Any) -> None:
    """What the wrapper would have done during backward: the mean over all ranks, where any of them has a gradient."""
    torch, group = run.torch, run.torch.distributed
    trained = [p for p in module.parameters() if p.requires_grad]
    given = torch.tensor([float(p.grad is not None) for p in trained], device=trained[0].device)
    group.all_reduce(given)
    for place, parameter in enumerate(trained):
        if given[place]:
            gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            gradient = gradient / group.get_world_size()
            group.all_reduce(gradient)
            parameter.grad = gradient
