"""Tell layers that take places first that samples come first.

## What changes
A recurrent layer, an attention or a transformer of torch's that was built without `batch_first` gets its sequences with
the first two axes exchanged, and what it gives back is exchanged again. The weights stay the same.

## How it is known
What comes back has the shape that the layer's own call gives, with as many samples as went in.

## What it tells
If it learns now, the layer took the samples of a batch for the places of a sequence.

## When it says nothing
Layers that were built with `batch_first`, that get a single sequence, a state, or a mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when layers are told that samples come first?"
applies = "recurrent layers, attention and transformers of torch's, built without batch_first"
by_hand = False
values = {"": "samples first"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.60, "worse": 0.28, "new-failure": 0.07}}
# What the observer found that such a layer does with the samples of a batch.
MANNERS = ("recurrent", "attention")


def fits(facts: Mapping[str, object]) -> bool:
    """Where such a layer reaches over the samples."""
    return getattr(facts.get("influence"), "manner", "") in MANNERS


def apply(run: Run, value: str) -> None:
    """Exchange the axes around the outermost of these layers."""
    torch = run.torch
    nn = torch.nn
    attention = (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)
    kinds = (
        nn.RNNBase,
        nn.MultiheadAttention,
        *attention,
        nn.TransformerEncoder,
        nn.TransformerDecoder,
        nn.Transformer,
    )
    inside = [False]

    def places_first(module: Any) -> bool:
        own = [m for m in module.modules() if isinstance(m, (nn.RNNBase, nn.MultiheadAttention))]
        return bool(own) and not any(m.batch_first for m in own)

    def exchanged(value: Any) -> Any:
        return value.transpose(0, 1) if torch.is_tensor(value) and value.dim() == 3 else value

    def call(original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        if inside[0] or not isinstance(module, kinds) or not places_first(module):
            return original(module, *args, **kwargs)
        tensors = run.tensors((args, kwargs))
        if not tensors or any(t.dim() != 3 for t in tensors) or (isinstance(module, nn.RNNBase) and len(tensors) > 1):
            run.refused("a layer is given a mask, a state, or a single sequence")
            return original(module, *args, **kwargs)
        inside[0] = True
        try:
            made = original(module, *map(exchanged, args), **{k: exchanged(v) for k, v in kwargs.items()})
        finally:
            inside[0] = False
        first = exchanged(made[0] if isinstance(made, tuple) else made)
        run.applied()
        if first.shape[:2] == tensors[0].shape[:2]:
            run.verified()
        return (first, *made[1:]) if isinstance(made, tuple) else first

    run.instead(nn.Module, "__call__", call)
