"""Shuffle the labels within each batch, so that they no longer belong to their inputs.

## What changes
The target of every loss that is trained on, permuted by a generator of its own: the program's random
numbers stay as they are.

## What it tells
If the loss is no worse than before, the labels told the model nothing about the inputs in the first place.

## When it says nothing
Losses written with plain operations, and batches of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "control"
question = "Do the labels, as they are paired now, say anything about the inputs?"
applies = "losses from torch.nn.functional on batches of two or more"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.50, "worse": 0.43, "new-failure": 0.02}}


class Run(Protocol):
    """What this change uses of a run."""

    torch: Any

    def on_loss(self, function: Callable[[str, Any, Any], tuple[Any, Any]]) -> object: ...

    def applied(self) -> None: ...


def apply(run: Run, value: str) -> None:
    """Permute the targets at the loss, so that everything before it runs as it did."""
    torch = run.torch
    generator = torch.Generator().manual_seed(20251)

    @run.on_loss
    def shuffle(name: str, given: Any, target: Any) -> tuple[Any, Any]:
        wanted = torch.is_tensor(target) and torch.is_tensor(given) and given.requires_grad
        if not wanted or name == "log_softmax" or target.dim() == 0 or target.shape[0] < 2:
            return given, target
        order = torch.randperm(target.shape[0], generator=generator)
        run.applied()
        return given, target[order.to(target.device)]
