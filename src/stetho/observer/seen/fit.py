"""How well predictions account for their targets, where a loss brings the two together."""

from __future__ import annotations

from typing import Any, Sequence

import torch

# Samples of a call from which on it tells something that each label can be parted.
LEAST_PARTED = 8
# Where a hand-written loss puts prediction and label together.
PAIRING = ("sub", "__sub__", "__rsub__", "rsub", "subtract", "gather", "__getitem__")


def paired(args: Sequence[Any]) -> tuple[Any, Any] | None:
    """Prediction and label of a loss in plain operations: one with a gradient meets a constant of its size."""
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    if len(tensors) != 2 or tensors[0].requires_grad == tensors[1].requires_grad:
        return None
    given, other = tensors if tensors[0].requires_grad else tensors[::-1]
    if other.dim() and given.dim() and given.shape[0] == other.shape[0] > 1 and given.numel() >= other.numel():
        return given, other
    return None


def explained(given: Any, target: Any) -> float | None:
    """Share of the targets' variance that the predictions account for, each beside its own target."""
    if given.numel() != target.numel() or not target.is_floating_point() or target.numel() < 8:
        return None
    if given.shape != target.shape:
        # An axis of one more or less, which a loss would stretch, does not change whose target is whose.
        if [n for n in given.shape if n > 1] != [n for n in target.shape if n > 1]:
            return None
        given = given.reshape(target.shape)
    number = target.float()
    # What each output varies by itself: that two outputs have different means is nothing to be proud of.
    several = number.dim() > 1 and number.shape[0] >= 8
    columns = number.reshape(number.shape[0], -1) if several else number.reshape(-1, 1)
    spread = float(columns.var(dim=0, unbiased=False).mean())
    return 1 - float((given - target).float().pow(2).mean()) / spread if spread > 0 else None


def told_apart(given: Any, target: Any) -> float | None:
    """Share of yes and no, of one or several labels, on its side of the score that parts each label best; None where
    targets are no yes and no beside a score each. The scale of the scores, and where they mean yes, play no part."""
    if given.shape != target.shape or not 1 <= given.dim() <= 2 or given.shape[0] < LEAST_PARTED:
        return None
    if not bool(((target == 0) | (target == 1)).all()):
        return None
    rows = given.shape[0]
    scores, order = given.detach().float().reshape(rows, -1).sort(dim=0)
    yes = target.reshape(rows, -1).float().gather(0, order).cumsum(0)
    below = torch.arange(1, rows + 1, device=scores.device).reshape(-1, 1)
    # Up to each place all are called no, and yes beyond it; equal scores cannot be parted, and all may be one.
    right = below - yes + yes[-1:] - yes
    right[:-1] = torch.where(scores[1:] > scores[:-1], right[:-1], torch.zeros_like(right[:-1]))
    return float((torch.maximum(right.max(dim=0).values, yes[-1]) / rows).mean())


def ranges(given: Any, target: Any) -> dict[str, float]:
    """The smallest and the largest value of a prediction and of its label, and how the label's are spread."""
    (low, high), (least, most) = ((v.item() for v in torch.aminmax(t.detach())) for t in (given, target))
    found = {"low": low, "high": high, "tlow": least, "thigh": most}
    if target.is_floating_point() and target.numel() > 1:
        number = target.detach().double()
        found["tmean"], found["tstd"] = float(number.mean()), float(number.std(unbiased=False))
    return found
