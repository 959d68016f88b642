"""Give a loss that normalises its input the scores behind the probabilities it was handed.

## What changes
Where the input of cross_entropy or log_softmax is already a distribution, its logarithm is passed on: as
scores, it stands for the very same distribution. Where binary_cross_entropy_with_logits is handed values
in 0..1, their logit is.

## What it tells
If learning gets clearly better, the second normalisation held it back.

## When it says nothing
Inputs that are not already normalised are left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

kind = "control"
question = "Does it learn when the loss is given scores instead of probabilities?"
applies = "losses that normalise their input"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.73, "worse": 0.15, "new-failure": 0.06}}
TINY = 1e-7


class Run(Protocol):
    """What this change uses of a run."""

    torch: Any

    def on_loss(self, function: Callable[[str, Any, Any], tuple[Any, Any]]) -> object: ...

    def applied(self) -> None: ...


def apply(run: Run, value: str) -> None:
    """Undo the first normalisation just before the loss, where it can be seen in the values."""

    def in_range(x: Any) -> bool:
        x = x.detach()
        return bool(x.min() >= 0) and bool(x.max() <= 1)

    @run.on_loss
    def scores(name: str, given: Any, target: Any) -> tuple[Any, Any]:
        if not run.torch.is_tensor(given) or not given.is_floating_point() or given.numel() == 0 or given.dim() == 0:
            return given, target
        if name in ("cross_entropy", "log_softmax") and in_range(given):
            axis = 1 if name == "cross_entropy" and given.dim() > 1 else -1
            if bool(((given.detach().sum(dim=axis) - 1).abs() < 1e-3).all()):
                run.applied()
                return (given + TINY).log(), target
        if name == "binary_cross_entropy_with_logits" and in_range(given):
            run.applied()
            clamped = given * (1 - 2 * TINY) + TINY
            return clamped.log() - (1 - clamped).log(), target
        return given, target
