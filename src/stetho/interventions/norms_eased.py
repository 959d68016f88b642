"""Take away normalisations that can wipe out what tells samples apart.

## What changes
Instance normalisation, which works on each channel of each sample alone, passes on what it is given. So does batch
normalisation in training where each channel has at most four values, and so do layer, group and root mean square
normalisation over a single value. A length that is taken over the first axis of a
table is taken over the last one instead. Scales and shifts that such a layer has learned still apply.

## How it is known
What comes out is compared with what the normalisation would have made.

## What it tells
If it learns now, the normalisation had taken away what there was to learn from.

## When it says nothing
Models that normalise otherwise, or not at all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn without normalisations that wipe out what tells samples apart?"
applies = "models with instance normalisation, norms of single values or of tiny batches, or lengths over the batch"
by_hand = False
values = {"": "those that can do harm"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.60, "worse": 0.32, "new-failure": 0.03}}
FEW = 4


def apply(run: Run, value: str) -> None:
    """Stand in for the functions that normalise."""
    torch = run.torch
    functional = torch.nn.functional

    def looked(made: Any, usual: Any) -> Any:
        run.applied()
        if made.shape != usual.shape or not torch.equal(made.detach(), usual.detach()):
            run.verified()
        return made

    def scaled(input: Any, weight: Any, bias: Any) -> Any:
        shape = [1, -1] + [1] * (input.dim() - 2)
        made = input if weight is None else input * weight.reshape(shape)
        return made if bias is None else made + bias.reshape(shape)

    def instance(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            usual = original(input.detach(), *args, **kwargs)
        weight = kwargs.get("weight", args[2] if len(args) > 2 else None)
        bias = kwargs.get("bias", args[3] if len(args) > 3 else None)
        return looked(scaled(input, weight, bias), usual)

    def batch(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        training = kwargs.get("training", args[4] if len(args) > 4 else False)
        usual = original(input, *args, **kwargs)
        if not training or input.numel() // input.shape[1] > FEW:
            return usual
        weight = kwargs.get("weight", args[2] if len(args) > 2 else None)
        bias = kwargs.get("bias", args[3] if len(args) > 3 else None)
        return looked(scaled(input, weight, bias), usual)

    def layer(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        usual = original(input, *args, **kwargs)
        if math.prod(kwargs.get("normalized_shape", args[0] if args else ())) != 1:
            return usual
        weight = kwargs.get("weight", args[1] if len(args) > 1 else None)
        # The root mean square knows no shift; there the next argument is a small number.
        bias = kwargs.get("bias", args[2] if len(args) > 2 and isinstance(args[2], torch.Tensor) else None)
        made = input if weight is None else input * weight
        return looked(made if bias is None else made + bias, usual)

    def group(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        usual = original(input, *args, **kwargs)
        groups = kwargs.get("num_groups", args[0] if args else 1)
        if input.numel() // max(1, input.shape[0] * groups) != 1:
            return usual
        weight = kwargs.get("weight", args[1] if len(args) > 1 else None)
        bias = kwargs.get("bias", args[2] if len(args) > 2 else None)
        return looked(scaled(input, weight, bias), usual)

    def normalize(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        axis = kwargs.get("dim", args[1] if len(args) > 1 else 1)
        usual = original(input, *args, **kwargs)
        if axis != 0 or input.dim() != 2:
            return usual
        return looked(input / input.norm(dim=-1, keepdim=True).clamp_min(1e-12), usual)

    def length(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        usual = original(input, *args, **kwargs)
        if kwargs.get("dim") not in (0, (0,), [0]) or not kwargs.get("keepdim") or input.dim() != 2:
            return usual
        return looked(original(input, *args, **{**kwargs, "dim": -1}), usual)

    run.instead(functional, "instance_norm", instance)
    run.instead(functional, "batch_norm", batch)
    run.instead(functional, "layer_norm", layer)
    run.instead(functional, "group_norm", group)
    if hasattr(functional, "rms_norm"):
        run.instead(functional, "rms_norm", layer)
    run.instead(functional, "normalize", normalize)
    for owner in (torch, torch.Tensor):
        run.instead(owner, "norm", length)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("no normalisation of that kind is called")
