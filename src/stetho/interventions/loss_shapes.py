"""Give targets the shape of the outputs that they are compared with.

## What changes
Where a target and an output have as many elements and other shapes, and torch would stretch both, as (B,) against
(B, 1) becomes (B, B), the target takes the output's shape: in losses of torch's and in plain operations. So do
weights and masks of the samples.

## How it is known
The two are no longer stretched: together they have the output's shape.

## What it tells
If the model now learns, each of its outputs was compared with the targets of the whole batch.

## When it says nothing
Shapes that fit already; losses that the model itself computes with plain operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when every output is compared with its own target only?"
applies = "targets that meet the model's output outside the model, or in a loss of torch.nn.functional"
values = {"": "wherever shapes would be stretched"}
alters = "loss"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.02, "same": 0.86, "worse": 0.07, "new-failure": 0.03}}
# Losses whose targets are numbers of classes, which have another shape by right.
INDEXED = ("cross_entropy", "nll_loss", "multi_margin_loss")


def apply(run: Run, value: str) -> None:
    """Reshape the target just before it meets the output."""
    torch = run.torch

    def stretched(target: Any, met: Any) -> bool:
        if target.shape == met.shape or target.numel() != met.numel():
            return False
        try:
            return bool(torch.broadcast_shapes(target.shape, met.shape).numel() > met.numel())
        except RuntimeError:
            return False

    def fitted(target: Any, met: Any) -> Any:
        if not torch.is_tensor(target) or not torch.is_tensor(met) or not stretched(target, met):
            run.refused("targets have the shape of the outputs already")
            return target
        fit = target.reshape(met.shape)
        run.applied()
        if not stretched(fit, met):
            run.verified()
        return fit

    @run.on_loss
    def at_loss(call: Any) -> None:
        if call.trained and call.name != "log_softmax" and call.name not in INDEXED:
            call.set("target", fitted(call.target, call.input))

    @run.on_target
    def at_operation(target: Any, met: Any) -> Any:
        # In a loss of torch's its name decides, which is not known here.
        return target if run.in_loss else fitted(target, met)

    @run.on_beside
    def at_weight(tensor: Any, met: Any, what: str) -> Any:
        return fitted(tensor, met) if what in ("factor", "mask") else tensor
