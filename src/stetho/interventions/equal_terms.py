"""Give every loss that has targets an equal part in what they come to together.

## What changes
Backward is called on the sum of the library's losses that had targets in this step, each divided by what it came to in
the first step and multiplied by what they came to there on average. What else was added is left out.

## How it is known
The value is another one than the program's, from the second step on.

## What it tells
If a task that hardly counted is done better now, and none worse, the size of another one kept it from that. Held-out
scores that the program prints tell so first.

## When it says nothing
Losses of one task; losses written with plain operations; losses that are weighed one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Is every task learned when none is much larger than the others?"
applies = "losses that add up several comparisons with targets"
by_hand = False
values = {"": "every loss that backward is called on"}
alters = "terms"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.04, "same": 0.77, "worse": 0.13, "new-failure": 0.04}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether more than one loss with targets takes part in what is trained on."""
    found = facts.get("loss-inputs")
    sites = found.sites if found is not None else ()
    return len([s for s in sites if s.trained and s.target_shape is not None]) > 1


def apply(run: Run, value: str) -> None:
    """Put the sum of the losses, brought to one size, in the place of the loss."""
    held: list[Any] = []
    first: list[float] = []

    @run.on_loss_over
    def computed(call: Any, output: Any) -> None:
        if call.trained and call.target is not None and output.numel() == 1 and output.grad_fn is not None:
            held.append(output.reshape(()))

    @run.on_objective
    def alike(loss: Any) -> Any:
        found, held[:] = list(held), []
        sizes = [abs(float(one.detach())) for one in found]
        if len(found) < 2 or loss.grad_fn is None or (first and len(first) != len(found)):
            run.refused("there are not the same losses with targets, two or more, in every step")
            return loss
        if not first:
            if min(sizes) <= 0:
                run.refused("a loss is zero in the first step")
                return loss
            first.extend(sizes)
        # What they come to together stays, as the rate may have been chosen for it.
        part = sum(first) / len(first)
        whole = sum(one * (part / size) for one, size in zip(found, first))  # noqa: B905 - Python 3.9
        run.applied()
        if float(whole.detach()) != float(loss.detach()):
            run.verified()
        return whole.reshape(loss.shape)
