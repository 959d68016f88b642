"""Shuffle the labels within each batch, so that they no longer belong to their inputs.

## What changes
What meets the model's output as its target, in a loss of torch's or in plain operations, is permuted by rows with a
generator of its own: the program's random numbers stay as they are. All targets of one call of the model are permuted
alike. A sample that comes again gets the label that it was given before, so that it can be learned by heart as well as
the true one could.

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
alters = "pairing"
values = {"": "within each batch"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.68, "worse": 0.25, "new-failure": 0.02}}


# Samples whose label is remembered, so that they have the same one whenever they come again.
MOST = 200_000


def apply(run: Run, value: str) -> None:
    """Permute the targets where they meet the output, so that everything before it runs as it did."""
    torch = run.torch
    generator = torch.Generator().manual_seed(20251)
    order: dict[int, Any] = {}
    given: dict[tuple[int, str], Any] = {}
    state = {"call": -1, "target": 0}

    def known(rows: int) -> list[str]:
        """Fingerprints of the samples that the model was called with, where there is one for each row."""
        held = [t for t in run.batch.given.values() if t.dim() and t.shape[0] == rows]
        return run.prints_of(max(held, key=lambda t: int(t.numel()))) if held else []

    @run.on_target
    def shuffle(target: Any, met: Any) -> Any:
        if run.taught.recent(target):
            run.refused("what meets the output is made by another model: it is no label")
            return target
        if target.dim() == 0 or target.shape[0] < 2:
            run.refused("a target holds one sample only")
            return target
        if state["call"] != run.batch.calls:
            state["call"], state["target"] = run.batch.calls, 0
            order.clear()
        state["target"] += 1
        keys = [(state["target"], one) for one in known(target.shape[0])]
        met_before = [row for row, key in enumerate(keys) if key in given and given[key].shape == target.shape[1:]]
        fresh = sorted(set(range(target.shape[0])).difference(met_before))
        if len(fresh) not in order:
            order[len(fresh)] = torch.randperm(len(fresh), generator=generator)
        places = torch.tensor(fresh, dtype=torch.long)
        shuffled = target.clone()
        shuffled[places.to(target.device)] = target[places[order[len(fresh)]].to(target.device)]
        for row in met_before:
            shuffled[row] = given[keys[row]].to(target.device, target.dtype)
        if len(given) < MOST:
            given.update((keys[row], shuffled[row].detach().clone()) for row in fresh if keys)
        run.applied()
        if bool((shuffled != target).any()):
            run.verified()
        else:
            run.refused("the labels of a batch are all the same")
        return shuffled
