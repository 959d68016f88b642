"""Put noise in the place of the inputs, so that only the labels are left to learn from.

## What changes
Every tensor of samples that the model is called with for training, labels and masks excepted, becomes normal noise
with the mean and spread that each of its features has shown so far; whole numbers, as tokens, are drawn from those seen
in the same column, so that they stay valid. The first call of a model that is given several tensors is left alone: it
shows which of them are labels. The noise has a generator of its own: the program's random numbers stay as they are.

## How it is known
What the model was called with is compared with what the program gave: rows of it must differ, and be finite.

## What it tells
If the loss is no worse than before, the model never used its inputs. What it still learns it takes from the labels.

## When it says nothing
Models that take their data from somewhere else than their arguments, and inputs that are the same for every sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the model use its inputs at all?"
applies = "models called with tensors"
values = {"": "with the mean and spread of each feature"}


def apply(run: Run, value: str) -> None:
    """Draw noise for each tensor of samples, once it has been seen what its features are like."""
    torch = run.torch
    generator = torch.Generator().manual_seed(20252)
    seen: dict[Any, Any] = {}

    def noise(place: Any, tensor: Any, known: bool) -> Any:
        features = seen.setdefault(place, run.features())
        features.add(tensor)
        if not known or not tensor.numel():
            return None
        new = features.drawn(tensor, generator).to(tensor)
        if bool((new == tensor).all()):
            run.refused("the inputs are the same for every sample")
            return None
        run.applied()
        return new

    def look(place: Any, given: Any, entered: Any) -> None:
        if bool((given != entered).any()) and (not entered.is_floating_point() or bool(entered.isfinite().all())):
            run.verified()

    run.on_samples(noise, look)
