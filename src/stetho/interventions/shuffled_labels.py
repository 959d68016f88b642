"""Shuffle the labels within each batch, so that they no longer belong to their inputs.

## What changes
What meets the model's output as its target, in a loss of torch's or in plain operations, is permuted by rows with a
generator of its own: the program's random numbers stay as they are. All targets of one call of the model are permuted
alike.

## How it is known
The permuted target is compared with the one it stands for: rows of it must differ.

## What it tells
If the loss is no worse than before, the labels told the model nothing about the inputs in the first place.

## When it says nothing
Losses that the model itself computes with plain operations, targets that another
model makes, batches of one, batches in which all labels are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Do the labels, as they are paired now, say anything about the inputs?"
applies = "targets that meet the model's output outside the model, or in a loss of torch.nn.functional"
values = {"": "within each batch"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.68, "worse": 0.25, "new-failure": 0.02}}


def apply(run: Run, value: str) -> None:
    """Permute the targets where they meet the output, so that everything before it runs as it did."""
    torch = run.torch
    generator = torch.Generator().manual_seed(20251)
    order: dict[int, Any] = {}
    state = {"call": -1}

    @run.on_target
    def shuffle(target: Any, met: Any) -> Any:
        if run.taught.recent(target):
            run.refused("what meets the output is made by another model: it is no label")
            return target
        if target.dim() == 0 or target.shape[0] < 2:
            run.refused("a target holds one sample only")
            return target
        if state["call"] != run.batch.calls:
            state["call"] = run.batch.calls
            order.clear()
        rows = target.shape[0]
        if rows not in order:
            order[rows] = torch.randperm(rows, generator=generator)
        shuffled = target[order[rows].to(target.device)]
        run.applied()
        if bool((shuffled != target).any()):
            run.verified()
        else:
            run.refused("the labels of a batch are all the same")
        return shuffled
