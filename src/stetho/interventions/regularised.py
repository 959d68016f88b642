"""Hold the weights back, and drop a part of what is computed in training.

## What changes
After each step every parameter with two axes or more is shrunk by a fixed share, so that over the whole run nothing
would be left that is not learned again and again; in training a share of what activation functions of torch's give is
set to zero. Its random numbers come from a generator of its own.

## How it is known
The weights are a share smaller after the shrinking than before, and the share of zeros is as asked for.

## What it tells
If held-out results end clearly better, the model had learned its training data by heart.

## When it says nothing
Runs that show no held-out result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Do held-out results end better with more regularisation?"
applies = "any optimizer"
by_hand = False
values = {"": "by as much as the length of the run asks for", "N": "for a run of N steps"}
example = "200"
alters = "held-out"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.04, "same": 0.70, "worse": 0.22, "new-failure": 0.02}}
# What is dropped, and how many times over the run a weight is shrunk to a third of what it was.
SHARE, THIRDS = 0.3, 16.0
# The largest share of a step; an optimizer of steps of one size holds against less, and is overwhelmed by more.
LARGEST = 0.01
# Functions that hardly anybody ends a model with.
FUNCTIONS = ("relu", "gelu", "elu", "silu", "leaky_relu", "selu", "mish", "hardswish")
# Steps of a run of which nothing is known.
USUAL = 500
# Values from which on the share of zeros can be told.
MANY = 1000


def read(value: str) -> int:
    """The steps of the run."""
    if value and int(value) < 1:
        raise ValueError("a run has at least one step")
    return int(value or USUAL)


def chosen(facts: Mapping[str, Any]) -> str:
    """As many steps as the run took."""
    found = facts.get("run-end")
    return str(found.steps) if found is not None and found.steps else ""


def apply(run: Run, value: str) -> None:
    """Shrink after each step; drop behind each activation."""
    torch, share = run.torch, min(LARGEST, THIRDS / read(value))
    generators: dict[Any, Any] = {}
    state = {"inside": False}

    @run.on_stepped
    def shrink(optimizer: Any) -> None:
        held = [p for group in optimizer.param_groups for p in group["params"] if p.dim() > 1 and p.grad is not None]
        if not held:
            run.refused("no parameter has two axes")
            return
        smallest = min(held, key=lambda p: p.numel())
        before = float(smallest.detach().norm())
        with torch.no_grad():
            for p in held:
                p.mul_(1 - share)
        run.applied()
        if abs(float(smallest.detach().norm()) - (1 - share) * before) <= 1e-3 * before:
            run.verified()
        else:
            run.contradicted("a weight is not the share smaller that it was to be")

    def dropped(original: Any, *args: Any, **kwargs: Any) -> Any:
        # One of them may call another.
        outer, state["inside"] = not state["inside"], True
        try:
            made = original(*args, **kwargs)
        finally:
            state["inside"] = not outer
        if not (outer and run.training and run.inside_model and isinstance(made, torch.Tensor)):
            return made
        if not made.is_floating_point() or made.dim() < 2:
            return made
        own = generators.get(made.device)
        if own is None:
            own = generators[made.device] = torch.Generator(made.device).manual_seed(0)
        kept = torch.rand(made.shape, generator=own, device=made.device) >= SHARE
        if made.numel() >= MANY and abs(1 - float(kept.float().mean()) - SHARE) > 0.1:
            run.contradicted("another share was dropped")
        return made * kept / (1 - SHARE)

    for name in FUNCTIONS:
        if hasattr(torch.nn.functional, name):
            run.instead(torch.nn.functional, name, dropped)
    run.instead(torch, "relu", dropped)
