"""Give what the model is evaluated on the centre and spread of what it is trained on.

## What changes
Each tensor of samples that the model is evaluated on has each feature shifted and scaled so that its mean and spread
are those of the training, as far as both were seen. Features are the last axis, or the channels of images; three
channels that are those of training in reverse order are turned round instead. Training is left alone, and so is the
evaluation of samples that were trained on.

## How it is known
Mean and spread of what the evaluation is made on are measured anew, and are those of the training.

## What it tells
If held-out results get clearly better, the inputs of evaluation were in other units, or prepared otherwise.

## When it says nothing
Tokens and other whole numbers, inputs that are like those of the training already, and evaluations of a few samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Are held-out results better on inputs with the scale of those in training?"
applies = "models called with tensors of floating-point numbers"
by_hand = False
values = {"": "each feature by itself"}
alters = "evaluation"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.02, "same": 0.72, "worse": 0.23, "new-failure": 0.02}}
# Samples of an evaluation from which on its moments are known, and training samples whose fingerprints are kept.
LEAST, KNOWN = 16, 200_000
# What lies within these is like the training already, or has become so.
SHIFT, RATIO, CHANCE = 0.25, 1.3, 3.0


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether the inputs are measured, and not counted."""
    found = facts.get("input-shift")
    return found is not None and not found.tokens


class Side:
    """What was met at one place of the model's arguments, and what was made of it."""

    def __init__(self, run: Run) -> None:
        self.given, self.made = run.features(), run.features()
        self.rows = 0

    def add(self, tensor: Any) -> None:
        self.given.add(tensor)
        self.rows += tensor.shape[0]


def apply(run: Run, value: str) -> None:
    """Measure the training, and change what comes to evaluation."""
    torch = run.torch
    trained: dict[Any, Side] = {}
    known: set[str] = set()
    sides: dict[Any, Side] = {}

    @run.on_input
    def training(module: Any, args: Any, kwargs: Any) -> None:
        if len(known) < KNOWN:
            known.update(run.prints(module, args, kwargs))
        for path, tensor in run.batch.samples(module, args, kwargs).items():
            if tensor.is_floating_point() and tensor.numel():
                trained.setdefault((id(module), path), Side(run)).add(tensor.detach())

    @run.on_idle_input
    def evaluation(module: Any, args: Any, kwargs: Any) -> Any:
        prints = run.prints(module, args, kwargs)
        if sum(one in known for one in prints) > len(prints) / 2:
            run.refused("the model is evaluated on its training data")
            return None
        new = {}
        for path, tensor in run.batch.samples(module, args, kwargs).items():
            if not tensor.is_floating_point():
                run.refused("the inputs are no floating-point numbers: tokens have no scale")
            elif (id(module), path) in trained and tensor.numel():
                side = sides.setdefault((id(module), path, run.called_from()), Side(run))
                made = brought(trained[id(module), path], side, tensor.detach())
                if made is not None:
                    new[path] = made
        return run.batch.replaced(args, kwargs, new) if new else None

    def brought(own: Side, side: Side, tensor: Any) -> Any:
        if not own.given.knows(tensor):
            return None
        side.add(tensor)
        if min(side.rows, own.rows) < LEAST:
            run.refused("too few samples were met to know their scale")
            return None
        ours, theirs = own.given.moments(tensor), side.given.moments(tensor)
        if alike(ours, theirs, min(own.rows, side.rows)):
            run.refused("the inputs of evaluation are like those of training")
            return None
        made = turned(ours, theirs, tensor) if tensor.dim() >= 4 and tensor.shape[1] == 3 else None
        made = scaled(ours, theirs, tensor) if made is None else made
        run.applied()
        side.made.add(made)
        if alike(ours, side.made.moments(made), side.rows):
            run.verified()
        return made

    def scaled(ours: Any, theirs: Any, tensor: Any) -> Any:
        (mean, spread), (other, wide) = ours, theirs
        factor = torch.where(
            wide > 0, spread / torch.where(wide > 0, wide, torch.ones_like(wide)), torch.ones_like(wide)
        )
        made = (tensor.double().cpu() - other) * factor + mean
        return made.to(tensor.device, tensor.dtype)

    def turned(ours: Any, theirs: Any, tensor: Any) -> Any:
        flipped = tuple(moment.flip(1) for moment in theirs)
        return tensor.flip(1) if alike(ours, flipped, LEAST * LEAST) else None

    def alike(ours: Any, theirs: Any, rows: int) -> bool:
        (mean, spread), (other, wide) = ours, theirs
        # What so few samples have by chance is no difference.
        chance = CHANCE / rows**0.5
        moving = spread > 0
        near = (mean - other).abs() <= (SHIFT + chance) * spread
        as_wide = (wide <= (RATIO + chance) * spread) & (wide >= spread / (RATIO + chance))
        return bool((near & as_wide)[moving].all())
