"""Train on half of the samples.

## What changes
The data set of every loader that trains answers with one half of its samples; without a loader, one half is kept by
what the samples hold and stands in for the other. Steps, batches and evaluation stay as they are.

## How it is known
The samples that were really asked of the data set are counted, or those that entered the model.

## What it tells
The best held-out result is compared, beside what knowing nothing gives: if half of the samples teach clearly less,
there are too few, and more would teach more. If it is about as good, the amount of data is not the trouble.

## When it says nothing
Programs that show no held-out result of which it is known what knowing nothing gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How much less does half of the data teach?"
applies = "models called with tensors, or fed by a DataLoader"
by_hand = False
values = {"": "every second sample"}
alters = "best"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.04, "same": 0.87, "worse": 0.06, "new-failure": 0.02}}


def apply(run: Run, value: str) -> None:
    """Half of the data."""
    run.also("data-fraction", "0.5")
