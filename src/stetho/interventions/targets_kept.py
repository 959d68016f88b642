"""Give a loss something to learn from where it ignores every target.

## What changes
Where all targets of a training call are the loss's `ignore_index`, they become the first class that is not ignored.

## How it is known
The loss of the same scores is finite, and gradients come out of it.

## What it tells
If the loss is finite and falls now, that every target was ignored was all that was wrong.

## When it says nothing
Losses that are left a target, and targets that are no numbers of classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the loss is left a target?"
applies = "cross_entropy and nll_loss that ignore every target"
values = {"": "the first class that is not ignored"}
by_hand = False
backgrounds = {"": {"symptom-gone": 0.04, "better": 0.03, "same": 0.80, "worse": 0.05, "new-failure": 0.08}}


def apply(run: Run, value: str) -> None:
    """Put a class in the place of targets that are all ignored."""
    torch = run.torch

    @run.on_loss
    def keep(call: Any) -> None:
        target = call.target
        if not call.trained or call.name not in ("cross_entropy", "nll_loss") or not torch.is_tensor(target):
            return
        if target.is_floating_point() or not target.numel():
            run.refused("the targets are no numbers of classes")
            return
        left_out = call.get("ignore_index", -100)
        if bool((target != left_out).any()):
            run.refused("the loss is left some targets")
            return
        call.set("target", torch.full_like(target, 1 if left_out == 0 else 0))
        run.applied()
        with torch.no_grad():
            if bool(getattr(torch.nn.functional, call.name)(*call.args, **call.kwargs).isfinite().all()):
                run.verified()
