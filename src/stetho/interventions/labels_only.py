"""Train on what is compared with targets only.

## What changes
Backward is called on the sum of the library's losses that had targets in this step, and on nothing else that was added
to them.

## How it is known
The value is another one than the program's.

## What it tells
If it learns now, something else had the larger part in the loss.

## When it says nothing
Losses without other terms; losses written with plain operations; losses that are weighed one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when only the comparison with targets counts?"
applies = "losses to which other terms are added"
by_hand = False
values = {"": "every loss that backward is called on"}
alters = "loss"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.04, "same": 0.80, "worse": 0.10, "new-failure": 0.03}}


def apply(run: Run, value: str) -> None:
    """Put the sum of the library's losses in the place of the loss."""
    held: list[Any] = []

    @run.on_loss_over
    def computed(call: Any, output: Any) -> None:
        if call.trained and call.target is not None and output.numel() == 1 and output.grad_fn is not None:
            held.append(output)

    @run.on_objective
    def told(loss: Any) -> Any:
        found, held[:] = list(held), []
        if not found or loss.grad_fn is None:
            run.refused("no loss of the library's was computed")
            return loss
        whole = sum(one.reshape(()) for one in found[1:]) + found[0].reshape(())
        if abs(float(whole.detach()) - float(loss.detach())) < 0.01 * abs(float(loss.detach())):
            run.refused("nothing else is added to the loss")
            return loss
        run.applied()
        if float(whole.detach()) != float(loss.detach()):
            run.verified()
        return whole.reshape(loss.shape)
