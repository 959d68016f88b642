"""Train and evaluate without one feature of the inputs.

## What changes
In each tensor of samples that has as many features as named, one feature is held at its mean over the first batch, in
training and in evaluation. The first call of a model that is given several tensors is left alone: it shows which of
them are labels.

## How it is known
What the model was called with holds one value in that place, and what the program gave holds several.

## What it tells
If the model is clearly worse without one feature among many, its answers rest on it. Where that feature almost is the
answer, it is to be asked whether it is known before the answer is.

## When it says nothing
Tokens and other whole numbers, and a feature that has one value anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How good is it without the one feature that tells most?"
applies = "models called with tensors of floating-point numbers"
by_hand = False
values = {"K/N": "the feature K, from 0, of samples with N", "": "the one that tells most"}
example = "0/4"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.02, "same": 0.88, "worse": 0.07, "new-failure": 0.02}}


def chosen(facts: Mapping[str, Any]) -> str:
    """The feature that tells most of the label, as it was measured."""
    found = facts.get("telling-feature")
    return "" if found is None else f"{found.feature}/{found.features}"


def read(value: str) -> tuple[int, int]:
    """The feature, and how many there are."""
    if not value:
        return (0, 0)
    number, _, of = value.partition("/")
    if not 0 <= int(number) < int(of or 0):
        raise ValueError("the feature is one of N, counted from 0")
    return int(number), int(of)


def apply(run: Run, value: str) -> None:
    """Hold the feature wherever samples have it."""
    feature, features = read(value)
    held: dict[Any, float] = {}
    if not features:
        run.refused("which feature tells most was not measured")
        return

    def without(place: Any, tensor: Any, known: bool) -> Any:
        if not tensor.is_floating_point() or tensor.dim() < 2 or tensor[0].numel() != features or not known:
            return None
        flat = tensor.reshape(tensor.shape[0], -1)
        mean = held.setdefault(place, float(flat[:, feature].mean()))
        new = flat.clone()
        new[:, feature] = mean
        run.applied(int(run.training))
        return new.reshape(tensor.shape)

    def look(place: Any, given: Any, entered: Any) -> None:
        before, after = (t.reshape(t.shape[0], -1)[:, feature] for t in (given, entered))
        if bool((after == after[0]).all()) and not bool((before == before[0]).all()):
            run.verified()

    run.on_samples(without, look, always=True)
