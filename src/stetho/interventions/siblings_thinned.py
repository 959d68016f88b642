"""Train on fewer near copies of each sample, and on at least one.

## What changes
Training samples that are nearer to each other than a distance are taken for one group. The first of each stays; of the
others so many are taken out that half of all samples are left, and samples that stay stand in for them.

## How it is known
What the model was called with holds no sample that was taken out.

## What it tells
It is the counterpart of `siblings-apart`, which takes out as many samples, by whole groups: where this changes nothing
and that makes held-out results worse, it is not the number of samples that they rest on.

## When it says nothing
No samples are near copies of each other, or the inputs are tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How good is it with half of the samples, where one near copy of each stays?"
applies = "models called with tensors of floating-point numbers"
by_hand = False
values = {"D": "up to the distance D", "": "the distance that was measured"}
example = "0.5"
alters = "shared"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.70, "worse": 0.24, "new-failure": 0.02}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether near copies of held-out samples were seen in training, several of them to a group."""
    found = facts.get("siblings")
    return found is not None and found.with_training > 0 and found.of_training >= 1.5


def chosen(facts: Mapping[str, Any]) -> str:
    """The distance that tells copies from strangers, as it was measured."""
    found = facts.get("siblings")
    return "" if found is None else f"{found.between:.6g}"


def read(value: str) -> float:
    """The distance."""
    if value and not float(value) > 0:
        raise ValueError("the distance is a number above 0")
    return float(value or 0)


def apply(run: Run, value: str) -> None:
    """As many samples fewer as `siblings-apart` leaves out."""
    if read(value):
        run.also("siblings-apart", f"{value}/thinned")
    else:
        run.refused("how near copies are was not measured")
