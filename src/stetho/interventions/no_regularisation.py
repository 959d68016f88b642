"""Take away what keeps a model from learning its samples by heart: dropout, weight decay and label smoothing.

## What changes
Dropout lets everything through and still draws its random numbers, the weight decay of each group is 0 for the length
of each step, and cross_entropy is called without label smoothing. Clipping, augmentation and noise stay.

## How it is known
As for `dropout` and `weight-decay`; without smoothing, the loss is another number than with it.

## What it tells
If the training loss, which had stopped too high, now comes down, regularisation held it there. Label smoothing
raises the loss by definition; where it was taken away, accuracy is compared instead.

## When it says nothing
Programs without any of the three.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does regularisation keep the model from learning?"
applies = "programs with dropout, weight decay or label smoothing"
values = {"": "all of it"}


def apply(run: Run, value: str) -> None:
    """Make the three changes; any of them is enough."""
    run.also("dropout", "off")
    run.also("weight-decay", "0")

    @run.on_loss
    def sharp(call: Any) -> None:
        if call.name != "cross_entropy" or not call.trained or not call.get("label_smoothing", 0.0):
            return
        loss = getattr(run.torch.nn.functional, call.name)
        with run.torch.no_grad():
            smooth = loss(*call.args, **call.kwargs)
            call.set("label_smoothing", 0.0)
            run.applied()
            if not run.torch.equal(smooth, loss(*call.args, **call.kwargs)):
                run.verified()
                run.alters_loss()
