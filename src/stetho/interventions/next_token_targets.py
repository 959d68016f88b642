"""Ask for the next token.

## What changes
Where the targets of a loss are the tokens that the model was given, at the same position or two ahead, they become the
next ones. What the loss leaves out stays left out, and so does the last position, whose next token is not known.

## How it is known
The new targets are the input's tokens, one position ahead.

## What it tells
If it learns better now, the targets were shifted once too often. Losses of other targets may lie lower or higher by
nature; where a score that the program prints gets better, that tells.

## When it says nothing
Targets that are the next tokens already, or another sequence; losses written with plain operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when it is asked for the next token?"
applies = "models of tokens whose targets are their own input"
by_hand = False
# Tokens that are further ahead may be easier to tell than the next ones.
alters = "targets"
values = {"": "every loss of tokens that is trained on"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.55, "worse": 0.36, "new-failure": 0.04}}


def apply(run: Run, value: str) -> None:
    """Put the next tokens in the place of the targets."""
    torch = run.torch
    given: list[Any] = []

    def is_tokens(tensor: Any) -> bool:
        whole = not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype != torch.bool
        return whole and tensor.dim() == 2 and tensor.shape[1] >= 4

    @run.on_input
    def entering(module: Any, args: Any, kwargs: Any) -> None:
        given[:] = [t for t in run.tensors((args, kwargs)) if is_tokens(t)]

    def alike(tokens: Any, asked: Any, counted: Any, offset: int) -> bool:
        width = min(asked.shape[1], tokens.shape[1] - offset)
        kept = counted[:, :width]
        if width < 3 or not bool(kept.any()):
            return False
        return float((asked[:, :width] == tokens[:, offset : offset + width])[kept].float().mean()) >= 0.98

    def shifted_wrongly(asked: Any, counted: Any) -> Any:
        """The input that the targets are taken from, at the same position or two ahead."""
        fit = [t for t in given if t.shape[0] == asked.shape[0] and t.shape[1] >= asked.shape[1]]
        for offset in (2, 0):
            for tokens in fit:
                if alike(tokens, asked, counted, offset) and not alike(tokens, asked, counted, 1):
                    return tokens
        return None

    @run.on_loss
    def ask(call: Any) -> None:
        target = call.target
        if not call.trained or call.name not in ("cross_entropy", "nll_loss") or not given or target is None:
            return
        rows = given[0].shape[0]
        if target.is_floating_point() or target.dim() not in (1, 2) or target.numel() % rows:
            return
        old, left_out = target.reshape(rows, -1), call.get("ignore_index", -100)
        counted = old != left_out
        tokens = shifted_wrongly(old, counted)
        if tokens is None:
            run.refused("the targets are the next tokens already, or another sequence")
            return
        known = min(old.shape[1], tokens.shape[1] - 1)
        new = torch.full_like(old, left_out)
        new[:, :known] = tokens[:, 1 : 1 + known].to(new.dtype)
        new[~counted] = left_out
        call.set("target", new.reshape(target.shape))
        run.applied()
        if alike(tokens, call.target.reshape(rows, -1), new != left_out, 1):
            run.verified()
