"""Take the last activation away where a loss is given what it has made.

## What changes
Sigmoid, tanh, ReLU, softmax, softplus and their kin remember what they were given. Where such an output leaves a model,
or enters a loss that sets numbers against numbers, what the activation was given takes its place; in evaluation, too.
Inside the model everything stays as it is.

## How it is known
What leaves the model, or enters the loss, is no longer what an activation has made.

## What it tells
If learning gets clearly better, the activation kept the output from its targets.

## When it says nothing
Models whose output no such activation makes, or that scale it afterwards.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when nothing bounds its output?"
applies = "models that end with an activation"
by_hand = False
values = {"": "the last activation"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.025, "same": 0.775, "worse": 0.14, "new-failure": 0.04}}
NAMES = ("sigmoid", "tanh", "relu", "softmax")
SMOOTH = ("gelu", "silu", "mish", "hardswish", "elu", "celu", "selu")
FUNCTIONS = (*NAMES, "hardsigmoid", "hardtanh", "softsign", "relu6", "softplus", "logsigmoid", *SMOOTH)
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
# Outputs that are remembered.
MOST = 512


def apply(run: Run, value: str) -> None:
    """Remember what activations were given, and hand it on in place of what they made."""
    torch = run.torch
    behind: dict[int, tuple[Any, Any]] = {}

    def remembering(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        given = input.clone() if kwargs.get("inplace") or (args and args[-1] is True) else input
        made = original(input, *args, **kwargs)
        if torch.is_tensor(made) and torch.is_tensor(given):
            if len(behind) > MOST:
                behind.clear()
            behind[id(made)] = (weakref.ref(made), given)
        return made

    for name in FUNCTIONS:
        if hasattr(torch.nn.functional, name):
            run.instead(torch.nn.functional, name, remembering)
    for name in NAMES:
        for owner in (torch, torch.Tensor):
            run.instead(owner, name, remembering)

    def source(tensor: Any) -> Any:
        """What the activation that made a tensor was given, in the tensor's own shape; None where none made it."""
        for candidate in (tensor, tensor._base):
            entry = behind.get(id(candidate)) if candidate is not None else None
            if entry is not None and entry[0]() is candidate and entry[1].numel() == tensor.numel():
                return entry[1].reshape(tensor.shape)
        return None

    def passed(tensor: Any) -> Any:
        found = source(tensor) if torch.is_tensor(tensor) and tensor.is_floating_point() else None
        if found is not None:
            run.applied()
            if source(found) is None:
                run.verified()
        return found

    @run.on_output
    def freed(module: Any, training: bool, output: Any) -> Any:
        return passed(output)

    @run.on_loss
    def given(call: Any) -> None:
        found = passed(call.input) if call.name in LOSSES else None
        if found is not None:
            call.set("input", found)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("no activation makes the output")
