"""Begin with weights as torch's layers make them, where the program has begun with others.

## What changes
Before a model is called for the first time, every layer is looked at. Where the rows of its weights are copies of each
other, where they lie on one side of zero, or where they are many times larger or smaller than the layer would have made
them, the layer makes them anew by its own rule; weights of the program's own get values of a like size. Layers that
began as usual, and embeddings, keep what they have. Random numbers come from a generator of their own.

## How it is known
The same look finds nothing unusual afterwards.

## What it tells
If the run learns now, the values that it began with held it back.

## When it says nothing
Models whose weights are as usual at their first call; models that are no modules of torch's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when its weights begin as torch's own layers make them?"
applies = "models made of torch's modules"
by_hand = False
values = {"": "layers that begin in an unusual way"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.025, "same": 0.825, "worse": 0.11, "new-failure": 0.02}}
# How many times larger or smaller than by the layer's own rule; how far the mean may lie from zero, in sizes.
LARGE, SMALL, ASIDE = 5.0, 1 / 40, 0.5
# Rows that differ by less than this part of the largest value are copies of each other.
COPY = 1e-3
SEED = 20_240


def usual(module: Any, name: str, weight: Any) -> float:
    """The root mean square of what the layer itself would have made."""
    inputs = weight.shape[1] * math.prod(weight.shape[2:])
    if hasattr(module, "hidden_size"):
        inputs = module.hidden_size
    return 1 / math.sqrt(3 * max(1, inputs))


def unusual(torch: Any, module: Any, name: str, weight: Any) -> bool:
    """Whether these values are not what a layer begins with."""
    value = weight.detach().float()
    flat = value.reshape(value.shape[0], -1)
    size = float(flat.pow(2).mean().sqrt())
    if value.shape[0] > 1 and float((flat - flat[0]).abs().max()) <= COPY * float(flat.abs().max()):
        return True
    if isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag)):
        return False
    aside = abs(float(flat.mean())) > max(ASIDE, 5 / math.sqrt(flat.numel())) * size
    ratio = size / usual(module, name, value)
    return aside or ratio > LARGE or ratio < SMALL


def normalises(module: Any) -> bool:
    """Whether a layer only scales and shifts what it has normalised."""
    return "Norm" in type(module).__name__ and hasattr(module, "reset_parameters")


def apply(run: Run, value: str) -> None:
    """Look at each model when it is first called."""
    torch = run.torch
    known: set[int] = set()

    def weights(module: Any) -> list[tuple[str, Any]]:
        own = module.named_parameters(recurse=False)
        return [(n, p) for n, p in own if p.dim() > 1 and p.numel() > 1 and p.is_floating_point() and p.requires_grad]

    def off(module: Any) -> list[tuple[str, Any]]:
        return [(n, p) for n, p in weights(module) if unusual(torch, module, n, p)]

    def anew(module: Any, bad: list[tuple[str, Any]]) -> None:
        if type(module).__module__.startswith("torch.nn.") and hasattr(module, "reset_parameters"):
            module.reset_parameters()
        elif hasattr(module, "_reset_parameters"):
            module._reset_parameters()
        else:
            for _, weight in bad:
                torch.nn.init.kaiming_uniform_(weight, a=math.sqrt(5))

    def begin(model: Any) -> None:
        parts = [m for m in model.modules() if not any(torch.nn.parameter.is_lazy(p) for p in m.parameters(False))]
        bad = [(m, found) for m in parts if (found := off(m))]
        if not bad:
            run.refused("all weights begin as torch's layers make them")
            return
        for module, found in bad:
            anew(module, found)
        for module in parts:
            scale = getattr(module, "weight", None)
            if normalises(module) and scale is not None and not 0.05 < float(scale.detach().abs().max()) < 5:
                module.reset_parameters()
        run.applied()
        if not any(off(m) for m, _ in bad):
            run.verified()

    @run.on_entering
    def look(model: Any, training: bool) -> None:
        if id(model) in known:
            return
        known.add(id(model))
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(SEED + len(known))
            begin(model)
