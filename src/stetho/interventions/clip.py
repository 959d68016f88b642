"""Switch gradient clipping off.

## What changes
`clip_grad_norm_` still measures the norm; it no longer shrinks anything.

## What it tells
If learning gets clearly better, the clip held it back.

## When it says nothing
Programs that do not clip, or clip by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "control"
question = "Does it learn when gradients are not clipped?"
applies = "programs that call torch.nn.utils.clip_grad_norm_"
backgrounds = {"off": {"symptom-gone": 0.03, "better": 0.04, "same": 0.70, "worse": 0.15, "new-failure": 0.08}}


class Run(Protocol):
    """What this change uses of a run."""

    def on_clip(self, function: Callable[[Any], float]) -> object: ...

    def applied(self) -> None: ...


def apply(run: Run, value: str) -> None:
    """Replace the limit at the call, so that the program still gets the norm it asks for."""

    @run.on_clip
    def unlimited(limit: Any) -> float:
        run.applied()
        return float("inf") if value == "off" else float(value)
