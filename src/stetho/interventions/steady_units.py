"""Shift and scale the inputs by the mean and spread of all samples so far, in place of the program's own statistics.

## What changes
Where an input is the program's own numbers, shifted and scaled feature by feature, the model is given the same numbers
shifted and scaled by the mean and spread of everything that was trained on so far. Evaluation gets the statistics of
the training. Where the numbers behind an input are not found, the last shift and scale that were found are undone.

## How it is known
What entered the model is held against the numbers behind it: it is the wanted shift and scale of them.

## What it tells
If results get clearly better, the units of the inputs moved while the model learned.

## When it says nothing
Inputs whose numbers are not at hand where the model is called, and inputs that nothing shifts or scales.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Does it learn better when the inputs keep one unit?"
applies = "programs that shift and scale their inputs themselves"
values = {"": "by the mean and spread of all samples so far"}
alters = "data"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.62, "worse": 0.28, "new-failure": 0.05}}


class Place:
    """What was met at one place of the model's arguments."""

    def __init__(self, run: Run) -> None:
        self.features = run.features()
        self.map: tuple[Any, Any] | None = None
        """The last mean and spread of a feature, as the program's numbers and its input tell them."""


def apply(run: Run, value: str) -> None:
    """Find what an input was made of, and make it anew."""
    torch = run.torch
    places: dict[Any, Place] = {}

    def mapped(raw: Any, made: Any) -> tuple[Any, Any] | None:
        """Scale and shift of each element of a sample; those that are the same for all samples are left alone."""
        table, other = (t.reshape(t.shape[0], -1).double() for t in (raw, made))
        around = table - table.mean(0)
        spread = around.square().sum(0)
        moving = spread > 0
        scale = (around * (other - other.mean(0))).sum(0) / torch.where(moving, spread, torch.ones_like(spread))
        # Features that do not move here have what the others have in the median.
        usual = scale[moving].median() if bool(moving.any()) else torch.ones(())
        scale = torch.where(moving, scale, usual)
        return (scale, other.mean(0) - scale * table.mean(0)) if bool((scale != 0).all()) else None

    def own(place: Place, tensor: Any) -> Any:
        found = run.made_of(tensor)
        if found is not None:
            raw = found[0].to(tensor.device)
            place.map = mapped(raw, tensor) or place.map
            return raw.double()
        if place.map is None:
            return None
        scale, shift = place.map
        flat = tensor.reshape(tensor.shape[0], -1).double()
        return ((flat - shift) / scale).reshape(tensor.shape)

    def changed(where: Any, tensor: Any, known: bool) -> Any:
        if not tensor.is_floating_point() or tensor.dim() < 2:
            run.refused("the inputs are no floating-point numbers")
            return None
        place = places.setdefault(where, Place(run))
        raw = own(place, tensor)
        if raw is None:
            run.refused("nothing at hand is what the inputs were made of by shifts and scales")
            return None
        if run.training:
            place.features.add(raw)
        if not place.features.knows(raw):
            return None
        mean, spread = place.features.moments(raw)
        run.applied(int(run.training))
        return ((raw.cpu() - mean) / torch.where(spread > 0, spread, torch.ones_like(spread))).to(tensor.dtype)

    def look(where: Any, given: Any, entered: Any) -> None:
        place = places[where]
        if place.map is None:
            return
        scale, shift = place.map
        raw = (given.reshape(given.shape[0], -1).double() - shift) / scale
        mean, spread = place.features.moments(raw.reshape(given.shape))
        wanted = (raw.reshape(given.shape).cpu() - mean) / torch.where(spread > 0, spread, torch.ones_like(spread))
        if bool((wanted - entered.double().cpu()).abs().max() <= 1e-2 * (1 + wanted.abs().max())):
            run.verified()

    run.on_samples(changed, look, always=True)
