"""Let no place of a sequence attend to a later one.

## What changes
Where attention weighs all places of a sequence against all places of it, in torch's own attention or in a softmax over
a square of scores inside a model, weights for later places become zero. A convolution along a sequence that is padded
at both ends is padded at its beginning only, by as much. What looks at nothing later stays as it is. Training and
evaluation are alike.

## How it is known
Before the change later places had weight, or could have; after it they have none.

## What it tells
If the training loss is clearly higher now, the model had read its answers off what comes later.

## When it says nothing
Models without attention or convolutions, or that are causal already; attention between two sequences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the loss follow what places see of the future?"
applies = "models with attention within a sequence, or convolutions along it"
by_hand = False
values = {"": "in every attention within one sequence, and every convolution along one"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.05, "same": 0.86, "worse": 0.04, "new-failure": 0.03}}
# Weights below this are nothing.
NOTHING = 1e-6


def apply(run: Run, value: str) -> None:
    """Stand in for softmax and for torch's attention."""
    torch = run.torch
    functional = torch.nn.functional

    def later(size: int, device: Any) -> Any:
        return torch.ones(size, size, dtype=torch.bool, device=device).triu(1)

    def softmax(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(input, *args, **kwargs)
        if not run.inside_model or made.dim() < 3 or made.shape[-1] != made.shape[-2] or made.shape[-1] < 3:
            return made
        mask = later(made.shape[-1], made.device)
        if not bool((made.detach()[..., mask] > NOTHING).any()):
            run.refused("attention is causal already")
            return made
        run.applied()
        again = original(input.masked_fill(mask, float("-inf")), *args, **kwargs)
        if not bool((again.detach()[..., mask] > NOTHING).any()):
            run.verified()
        return again

    def attention(original: Any, query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        causal = kwargs.get("is_causal", args[2] if len(args) > 2 else False)
        given = kwargs.get("attn_mask", args[0] if args else None)
        if causal or query.shape[-2] != key.shape[-2] or query.shape[-2] < 3:
            return original(query, key, value, *args, **kwargs)
        mask = later(query.shape[-2], query.device)
        if given is not None and hides(given, mask):
            run.refused("attention is causal already")
            return original(query, key, value, *args, **kwargs)
        barrier = torch.zeros(mask.shape, dtype=query.dtype, device=query.device).masked_fill(mask, float("-inf"))
        if given is not None:
            shown = given if given.dtype != torch.bool else torch.zeros_like(given, dtype=query.dtype)
            shown = shown.masked_fill(~given, float("-inf")) if given.dtype == torch.bool else shown
            barrier = barrier + shown
        rest = {k: v for k, v in kwargs.items() if k not in ("attn_mask", "is_causal")}
        if len(args) > 1:
            rest["dropout_p"] = args[1]
        run.applied()
        run.verified()
        return original(query, key, value, attn_mask=barrier, **rest)

    def convolution(original: Any, input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
        named = dict(zip(("bias", "stride", "padding", "dilation", "groups"), args, strict=False)) | kwargs
        stride, dilation = (one(named.get(key, 1)) for key in ("stride", "dilation"))
        reach, padding = dilation * (weight.shape[-1] - 1), named.get("padding", 0)
        ahead = reach - reach // 2 if padding == "same" else 0 if padding == "valid" else one(padding)
        # Only where as many places come out as go in does a place stand for itself.
        if not run.inside_model or stride != 1 or not ahead or (padding != "same" and reach != 2 * ahead):
            return original(input, weight, *args, **kwargs)
        run.applied()
        run.verified()
        return original(functional.pad(input, (reach, 0)), weight, **{**named, "padding": 0})

    def one(value: Any) -> int:
        return int(value[0] if isinstance(value, (tuple, list)) else value)

    def hides(given: Any, mask: Any) -> bool:
        if given.shape[-2:] != mask.shape:
            return False
        seen = given.detach()[..., mask]
        return not bool(seen.any()) if given.dtype == torch.bool else bool((seen < -1e4).all())

    run.instead(functional, "scaled_dot_product_attention", attention)
    run.instead(functional, "softmax", softmax)
    for owner in (functional, torch):
        run.instead(owner, "conv1d", convolution)
    for owner in (torch, torch.Tensor):
        run.instead(owner, "softmax", softmax)
    backend = getattr(torch.backends, "mha", None)
    if backend is not None:
        backend.set_fastpath_enabled(False)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("the model has nothing that could look ahead")
