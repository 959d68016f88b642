"""Give a loss the form of input that it is made for: scores, log-probabilities or probabilities.

## What changes
Where the input of cross_entropy or log_softmax is already a distribution, its logarithm is passed on: as
scores, it stands for the very same distribution. Where binary_cross_entropy_with_logits is handed values
in 0..1, their logit is. Where nll_loss or kl_div is handed scores or probabilities, they become log-probabilities;
where binary_cross_entropy is handed scores, they become probabilities. Log-probabilities are fit for cross_entropy,
which leaves them as they are.

## How it is known
The new input is looked at once more: it must have the form that the loss is made for.

## What it tells
If learning gets clearly better, the second normalisation, or the missing one, held it back.

## When it says nothing
Inputs that have the right form already are left alone, and losses without such a form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the loss is given the form of input that it is made for?"
applies = "losses of torch.nn.functional that expect scores, log-probabilities or probabilities"
values = {"": "whatever the loss is made for"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}
TINY = 1e-7


def apply(run: Run, value: str) -> None:
    """Undo or make up for a normalisation just before the loss, where its lack or excess shows in the values."""

    def within(x: Any, low: float, high: float) -> bool:
        x = x.detach()
        return bool(x.min() >= low) and bool(x.max() <= high)

    def sums_to_one(x: Any, axis: int) -> bool:
        return bool(((x.detach().float().sum(dim=axis) - 1).abs() < 1e-3).all())

    def right(name: str, x: Any, axis: int) -> bool:
        """Whether the input has the form that the loss is made for."""
        if name in ("cross_entropy", "log_softmax"):
            return x.shape[axis] < 2 or not (within(x, 0, 1) and sums_to_one(x, axis))
        if name in ("nll_loss", "kl_div"):
            return sums_to_one(x.exp(), axis)
        if name == "binary_cross_entropy":
            return within(x, 0, 1)
        return name != "binary_cross_entropy_with_logits" or not within(x, 0, 1)

    def formed(name: str, x: Any, axis: int) -> Any:
        """The same content in that form."""
        if name in ("cross_entropy", "log_softmax"):
            return (x + TINY).log()
        if name in ("nll_loss", "kl_div"):
            return (x + TINY).log() if within(x, 0, 1) and sums_to_one(x, axis) else x.log_softmax(dim=axis)
        if name == "binary_cross_entropy":
            return x.sigmoid()
        clamped = x * (1 - 2 * TINY) + TINY
        return clamped.log() - (1 - clamped).log()

    @run.on_loss
    def form(call: Any) -> None:
        x = call.input
        if not run.torch.is_tensor(x) or not x.is_floating_point() or x.numel() == 0 or x.dim() == 0:
            return
        axis = 1 if call.name in ("cross_entropy", "nll_loss") and x.dim() > 1 else -1
        if right(call.name, x, axis):
            run.refused("the loss is given what it is made for already")
            return
        call.set("input", formed(call.name, x, axis))
        run.applied()
        if call.name in ("nll_loss", "kl_div", "binary_cross_entropy"):
            # What it was given before had no such meaning, and neither had its value.
            run.alters_loss()
        if right(call.name, call.input, axis):
            run.verified()
