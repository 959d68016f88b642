"""Shift and scale every feature of the inputs to mean 0 and spread 1.

## What changes
Each tensor of samples that the model is called with, in training and in evaluation, has the mean of each feature
subtracted and is divided by its spread, as far as both were seen in training; after twenty batches they stay as they
are. Features are the last axis, or the channels of images. Features that never change are only shifted. The first call
of a model that is given several tensors is left alone: it shows which of them are labels.

## How it is known
Mean and spread of everything that entered the model since are measured anew.

## What it tells
If learning gets clearly better, the scale of the inputs held it back.

## When it says nothing
Tokens and other whole numbers, and inputs that are standardised already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the inputs are standardised?"
applies = "models called with tensors of floating-point numbers"
values = {"": "each feature by itself"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.02, "same": 0.72, "worse": 0.18, "new-failure": 0.05}}
# Batches after which mean and spread stay as they are.
BATCHES = 20
# Inputs whose features all lie within these need no standardising.
SHIFT, NARROW, WIDE = 0.5, 0.5, 2.0


def apply(run: Run, value: str) -> None:
    """Measure in training, and scale wherever the model is called."""
    torch = run.torch
    seen: dict[Any, Any] = {}
    batches: dict[Any, int] = {}
    after: dict[Any, Any] = {}
    wanted: dict[Any, bool] = {}

    def standard(mean: Any, spread: Any) -> bool:
        moving = spread > 0
        mean, spread = mean[moving], spread[moving]
        return bool(((mean.abs() <= SHIFT) & (spread >= NARROW) & (spread <= WIDE)).all())

    def wants(place: Any, mean: Any, spread: Any) -> bool:
        if place not in wanted:
            wanted[place] = not standard(mean, spread)
        if not bool((spread > 0).any()):
            run.refused("the inputs are the same for every sample")
            return False
        if not wanted[place]:
            run.refused("the inputs are standardised already")
        return wanted[place]

    def scaled(place: Any, tensor: Any, known: bool) -> Any:
        if not tensor.is_floating_point():
            run.refused("the inputs are no floating-point numbers: tokens have no scale")
            return None
        features = seen.setdefault(place, run.features())
        if run.training and batches.get(place, 0) < BATCHES:
            batches[place] = batches.get(place, 0) + 1
            features.add(tensor)
        if not known or place not in batches or not tensor.numel() or not features.knows(tensor):
            return None
        mean, spread = features.moments(tensor)
        if not wants(place, mean, spread):
            return None
        run.applied(int(run.training))
        divisor = torch.where(spread > 0, spread, torch.ones_like(spread))
        return (tensor.float() - mean.float().to(tensor.device)) / divisor.float().to(tensor.device)

    def look(place: Any, given: Any, entered: Any) -> None:
        features = after.setdefault(place, run.features())
        features.add(entered)
        mean, spread = features.moments(entered)
        moving = spread[spread > 0]
        if float(mean.abs().mean()) <= SHIFT and moving.numel() and NARROW <= float(moving.median()) <= WIDE:
            run.verified()

    run.on_samples(scaled, look, always=True)
