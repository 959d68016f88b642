"""Bring values of the inputs and of the targets that lie far out back to what is usual.

## What changes
Each feature of the samples is limited to its mean plus and minus eight times its spread, both as the median batch has
them, in training and in evaluation. Targets that are numbers and lie further out become the mean: at the edge they
would still be the largest errors of their batches. The first five batches only show what is usual.

## How it is known
What the model was called with lies within the limits.

## What it tells
If the jumps of the loss are gone, a few extreme samples made them.

## When it says nothing
Inputs within the limits, tokens and other whole numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn steadily when no sample is extreme?"
applies = "models called with tensors of floating-point numbers"
somewhere = True
values = {"": "eight times the usual spread"}
by_hand = False
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.84, "worse": 0.07, "new-failure": 0.03}}
BATCHES, KEPT, TIMES = 5, 50, 8.0


def apply(run: Run, value: str) -> None:
    """Measure batch by batch, and limit what lies beyond the median batch."""
    torch = run.torch
    seen: dict[Any, list[Any]] = {}

    def limits(place: Any) -> Any:
        held = seen.get(place, [])
        if len(held) < BATCHES:
            return None
        means, spreads = torch.stack([m for m, _ in held]), torch.stack([s for _, s in held])
        mean, spread = means.median(0).values, spreads.median(0).values
        return mean - TIMES * spread, mean + TIMES * spread

    def measure(key: Any, tensor: Any) -> None:
        if run.training and len(seen.setdefault(key, [])) < KEPT and tensor.shape[0] > 1:
            features = run.features()
            features.add(tensor)
            mean, spread = features.moments(tensor)
            seen[key].append((mean.to(tensor), spread.to(tensor)))

    def within(tensor: Any, bounds: Any, central: bool = False) -> Any:
        low, high = bounds
        new = torch.minimum(torch.maximum(tensor, low), high)
        if central:
            new = torch.where(new == tensor, tensor, (low + high) / 2)
        return None if bool((new == tensor).all()) else new

    def limited(place: Any, tensor: Any, known: bool) -> Any:
        if not tensor.is_floating_point() or not tensor.numel():
            return None
        key = (place, tuple(tensor.shape[1:]))
        bounds = limits(key)
        measure(key, tensor)
        if not known or bounds is None:
            return None
        new = within(tensor, bounds)
        if new is None:
            run.refused("no value of the inputs lies far out")
            return None
        run.applied()
        return new

    def target(target: Any, met: Any) -> Any:
        # Classes and shares are no measures: they have no edge to be brought back to.
        if not target.is_floating_point() or target.dim() < 1 or target.shape[0] < 2 or target.requires_grad:
            return target
        key = ("target", tuple(target.shape[1:]))
        bounds = limits(key)
        measure(key, target)
        new = within(target, bounds, central=True) if bounds is not None else None
        if new is None:
            return target
        run.applied()
        run.verified()
        return new

    def look(place: Any, given: Any, entered: Any) -> None:
        if float(entered.abs().max()) < float(given.abs().max()) or bool((entered != given).any()):
            run.verified()

    run.on_samples(limited, look, always=True)
    run.on_target(target)
