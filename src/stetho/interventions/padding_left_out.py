"""Leave padding out of the loss.

## What changes
Where sequences of targets end in one token again and again, all but the first of these are left out of the loss; where
the input is filled up with a token that occurs nowhere else, the targets that stand there are, all of them. Where
they are series of numbers, the model's own answers stand there instead: they cost nothing and teach nothing.

## How it is known
The loss is called with targets that say so, and others are as they were.

## What it tells
If what the program prints of its results gets better, padding had too large a part in the loss.

## When it says nothing
Targets without such ends, or whose ends are left out already; losses written with plain operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it get better when padding is not trained on?"
applies = "targets that are sequences of tokens or of numbers"
by_hand = False
values = {"": "every loss of sequences that is trained on"}
alters = "evaluation"
OF_NUMBERS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.80, "worse": 0.13, "new-failure": 0.03}}


def apply(run: Run, value: str) -> None:
    """Set the targets at these ends to what the loss leaves out."""
    torch = run.torch

    def of_numbers(call: Any) -> None:
        target, given = call.target, call.input
        old = target[:, :, 0] if target.dim() == 3 and target.shape[2] == 1 else target
        if old.dim() != 2 or old.shape[1] < 4 or given.shape != target.shape:
            return
        end = old[:, -1].mode().values
        runs = (old.flip(1) == end).long().cumprod(1).sum(1)
        size = old.shape[1]
        if bool((runs == size).all()) or runs.unique().numel() < 2:
            run.refused("no sequences of targets end in padding that is counted")
            return
        places = torch.arange(size, device=old.device)[None, :]
        padding = ((places >= size - runs[:, None]) & (runs[:, None] > 1)).reshape(target.shape)
        call.set("target", torch.where(padding, given.detach(), target))
        run.applied()
        if bool((call.target != target).any()):
            run.verified()

    def fillings(old: Any) -> Any:
        """The places where the input is filled up; None where it is not, or where the targets there differ."""
        for tokens in run.batch.given.values():
            if tokens.shape != old.shape or tokens.is_floating_point() or old.shape[1] < 4:
                continue
            value = int(tokens[:, -1].mode().values)
            runs = (tokens.flip(1) == value).long().cumprod(1).sum(1)
            places = torch.arange(old.shape[1], device=old.device)[None, :] >= old.shape[1] - runs[:, None]
            if runs.unique().numel() < 2 or bool(((tokens == value) & ~places).any()):
                continue
            if old[places].unique().numel() == 1:
                return places
        return None

    @run.on_loss
    def leave_out(call: Any) -> None:
        target, rows = call.target, run.batch.size
        if not call.trained or target is None or rows < 2:
            return
        if target.is_floating_point() and call.name in OF_NUMBERS:
            of_numbers(call)
            return
        if call.name not in ("cross_entropy", "nll_loss"):
            return
        if target.is_floating_point() or target.dim() not in (1, 2) or target.numel() % rows:
            return
        old, left_out = target.reshape(rows, -1), call.get("ignore_index", -100)
        size = old.shape[1]
        end = int(old[:, -1].mode().values)
        runs = (old.flip(1) == end).long().cumprod(1).sum(1)
        padding = fillings(old)
        if padding is None:
            if size < 4 or end == left_out or bool((runs == size).all()) or runs.unique().numel() < 2:
                run.refused("no sequences of targets end in padding that is counted")
                return
            places = torch.arange(size, device=old.device)[None, :]
            padding = (places > size - runs[:, None]) & (runs[:, None] > 1)
        new = torch.where(padding, torch.full_like(old, left_out), old)
        call.set("target", new.reshape(target.shape))
        run.applied()
        if int((call.target == left_out).sum()) > int((target == left_out).sum()):
            run.verified()
