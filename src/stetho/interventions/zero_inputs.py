"""Put zeros in the place of the inputs, so that every sample looks the same.

## What changes
Every tensor of samples that the model is called with for training, labels and masks excepted, becomes zeros; whole
numbers, as tokens, become the smallest one seen in that place, so that they stay valid. The first call of a model that
is given several tensors is left alone: it shows which of them are labels.

## How it is known
What the model was called with holds one value only, and another one than the program gave.

## What it tells
If the loss is no worse than before, the model never used its inputs: what it learned it took from the labels' own
frequencies. If it is worse, the inputs carry something.

## When it says nothing
Models that take their data from somewhere else than their arguments, and inputs that are zero already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How far does the training get without any input?"
applies = "models called with tensors"
values = {"": "in every place of the samples"}


def apply(run: Run, value: str) -> None:
    """Empty each tensor of samples."""
    torch = run.torch
    smallest: dict[Any, int] = {}

    def zeros(place: Any, tensor: Any, known: bool) -> Any:
        least = 0
        if not tensor.is_floating_point() and not tensor.is_complex() and tensor.numel():
            least = smallest[place] = min(int(tensor.min()), smallest.get(place, int(tensor.min())))
        if not known or not tensor.numel():
            return None
        run.applied()
        return torch.full_like(tensor, least)

    def look(place: Any, given: Any, entered: Any) -> None:
        flat = entered.reshape(-1)
        if not bool((flat == flat[0]).all()):
            return
        if bool((given != entered).any()):
            run.verified()
        else:
            run.refused("the inputs hold one value only")

    run.on_samples(zeros, look)
