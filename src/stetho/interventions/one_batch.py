"""Train on the first batch for ever: the model's input and the loss's target are those of the first step.

## What changes
Every call of the model for training gets the input of its first call, every loss the target of its first
call. The data pipeline goes on as before, unheard.

## What it tells
A model, loss and optimizer that work drive the loss on one batch far down. If they do, the fault is in
the data or in what it takes to generalise; if they do not, it is in the training itself.

## When it says nothing
Models called with keyword arguments only, or losses that torch does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "smoke"
question = "Can the model learn one batch by heart?"
applies = "models called with positional tensors, and losses from torch.nn.functional"
backgrounds = {"": {"symptom-gone": 0.40, "better": 0.20, "same": 0.30, "worse": 0.07, "new-failure": 0.03}}


class Run(Protocol):
    """What this change uses of a run."""

    torch: Any

    def on_model_input(self, function: Callable[[Any, Any], Any]) -> object: ...

    def on_loss(self, function: Callable[[str, Any, Any], tuple[Any, Any]]) -> object: ...

    def applied(self) -> None: ...


def apply(run: Run, value: str) -> None:
    """Keep the first input of each model and the first target of each loss, and hand them out again."""
    torch = run.torch
    inputs: dict[Any, Any] = {}
    targets: dict[Any, Any] = {}
    seen = {"model": 0, "loss": 0}

    def kept(store: dict[Any, Any], key: Any, tensors: list[Any]) -> Any:
        """The first tensors under this key, or None where their shapes do not go with those of now."""
        shapes = [tuple(t.shape) if torch.is_tensor(t) else None for t in tensors]
        if key not in store:
            store[key] = [t.detach().clone() if torch.is_tensor(t) else t for t in tensors], shapes
        return store[key][0] if store[key][1][1:] == shapes[1:] else None

    @run.on_model_input
    def same_input(module: Any, args: Any) -> Any:
        first = kept(inputs, id(module), list(args))
        if first is None:
            return args
        seen["model"] += 1
        return tuple(first)

    @run.on_loss
    def same_target(name: str, given: Any, target: Any) -> tuple[Any, Any]:
        if (
            name == "log_softmax"
            or not torch.is_tensor(given)
            or not given.requires_grad
            or not torch.is_tensor(target)
        ):
            return given, target
        first = kept(targets, name, [target])
        # Applied only when both halves of the pair are the first batch's.
        if first is None or not seen["model"] or first[0].shape[:1] != given.shape[:1]:
            return given, target
        run.applied()
        return given, first[0]
