"""Call the model for each sample alone.

## What changes
A whole model that is called with a batch, in training or evaluation, is called once for each sample instead, with all
tensors that have a row for each sample cut to one row; the outputs are put together again. Where that gives no row for
each, samples may lie along the second axis, with places first, and it is cut there. Normalisation over the batch is
told to use its running statistics meanwhile.

## How it is known
Each call gets one row, and what is put together has the shape that the whole batch gives.

## What it tells
If it learns now, samples of a batch got in each other's way inside the model.

## When it says nothing
Models that are called with one sample already, with more than tensors, or that give back no row for each sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when no sample can reach another?"
applies = "models that give back a row for each sample"
by_hand = False
values = {"": "one sample at a time"}
moves = "dropout draws for one sample at a time"
cost = 6.0
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.80, "worse": 0.10, "new-failure": 0.05}}


def fits(facts: Mapping[str, object]) -> bool:
    """Where a layer takes samples for places, a sample alone has no places at all: that would cure nothing."""
    return getattr(facts.get("influence"), "manner", "") not in ("recurrent", "attention")


def apply(run: Run, value: str) -> None:
    """Stand in for the call of a module, where it is a whole model."""
    torch = run.torch
    inside = [False]

    # Along which axis each model takes its samples, by its id, as far as that is known.
    axes: dict[int, int] = {}

    def rows(values: Any, axis: int = 0) -> int:
        sizes = [int(t.shape[axis]) for t in run.tensors(values) if t.dim() > axis]
        return sizes[0] if sizes else 0

    def cut(values: Any, axis: int, size: int, place: int) -> Any:
        def one(tensor: Any) -> Any:
            has = tensor.dim() > axis and tensor.shape[axis] == size
            return tensor.narrow(axis, place, 1) if has else tensor

        return run.mapped(values, one)

    def joined(parts: list[Any]) -> Any:
        first = parts[0]
        if torch.is_tensor(first):
            return torch.cat(parts, dim=0) if first.dim() and first.shape[0] == 1 else None
        if isinstance(first, (tuple, list)):
            made = [joined([part[i] for part in parts]) for i in range(len(first))]
            return None if any(m is None for m in made) else type(first)(made)
        return None

    def put_together(original: Any, module: Any, args: Any, kwargs: Any, axis: int) -> Any:
        """What the model says of each sample; None where they do not lie along this axis."""
        size = rows((args, kwargs), axis)
        if size < 2:
            return None
        try:
            first = original(module, *cut(args, axis, size, 0), **cut(kwargs, axis, size, 0))
            if joined([first]) is None:
                return None
            rest = [original(module, *cut(args, axis, size, i), **cut(kwargs, axis, size, i)) for i in range(1, size)]
        except (RuntimeError, ValueError, IndexError, AssertionError):
            # A model for sequences does not take one place of each.
            return None
        return joined([first, *rest])

    def one_by_one(original: Any, module: Any, args: Any, kwargs: Any) -> Any:
        for axis in (axes[id(module)],) if id(module) in axes else (0, 1):
            made = put_together(original, module, args, kwargs, axis)
            if made is not None:
                axes[id(module)] = axis
                return made
        return None

    def alone(original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        single = rows((args, kwargs), axes.get(id(module), 0)) < 2
        if inside[0] or single or next(module.parameters(), None) is None:
            return original(module, *args, **kwargs)
        inside[0] = True
        norms = [m for m in module.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm) and m.training]
        try:
            for one in norms:
                one.training = False
            made = one_by_one(original, module, args, kwargs)
        finally:
            inside[0] = False
            for one in norms:
                one.training = True
        if made is None:
            run.refused("the model does not give back a row for each sample")
            return original(module, *args, **kwargs)
        run.applied()
        if rows(made) == rows((args, kwargs), axes[id(module)]):
            run.verified()
        return made

    run.instead(torch.nn.Module, "__call__", alone)
