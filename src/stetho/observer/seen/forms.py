"""In which form a loss was given its input and its targets: beyond sizes, what a judgement of it needs."""

from __future__ import annotations

from typing import Any

import torch

# Offsets at which targets are looked for among the tokens that the model was given.
OFFSETS = range(4)
# Positions needed to say anything of a sequence.
LEAST = 4
# The share of targets that has to be one and the same where the input is filled up.
ALL_ALIKE = 0.99


def form(name: str, given: Any, target: Any, axis: int, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Whether log-probabilities are some, whether shares of classes are some, and which class is left out."""
    fields: dict[str, Any] = {}
    if name == "nll_loss" and given.dim() > 1:
        shares = given.detach().float().exp()
        fields["logs"] = sums_to_one(shares, axis)
        fields["over"] = not fields["logs"] and sums_to_one(shares, 0)
        fields["off"] = float((shares.sum(dim=axis) - 1).abs().median())
    if not isinstance(target, torch.Tensor) or not target.numel():
        return fields
    if name == "cross_entropy" and target.is_floating_point() and target.shape == given.shape:
        fields["shares"] = bool(target.min() >= 0) and sums_to_one(target.float(), axis)
    left_out = kwargs.get("ignore_index", -100)
    if name in ("cross_entropy", "nll_loss") and not target.is_floating_point() and 0 <= left_out < given.shape[axis]:
        fields["left_out"] = left_out
        fields["whole_acc"] = float((given.detach().argmax(dim=axis) == target).float().mean())
    return fields


def sums_to_one(value: Any, axis: int) -> bool:
    return value.shape[axis] > 1 and bool(((value.sum(dim=axis) - 1).abs() < 1e-3).all())


def sequence(tokens: list[Any], target: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """How targets follow the tokens that the model was given, and how many of them are a tail of one token."""
    if isinstance(target, torch.Tensor) and target.is_floating_point():
        return ends(target)
    if not tokens or not isinstance(target, torch.Tensor) or target.is_floating_point():
        return {}
    rows = tokens[0].shape[0]
    if target.numel() % rows or target.dim() not in (1, 2) or (target.dim() == 2 and target.shape[0] != rows):
        return {}
    asked = target.reshape(rows, -1)
    counted = asked != kwargs.get("ignore_index", -100)
    if asked.shape[1] < LEAST or not bool(counted.any()):
        return {}
    # Labels may be handed to the model as well; all of the targets are found in them.
    fed = [tokens[0], *(t for t in tokens[1:] if t.shape[0] == rows and not holds(t, asked, counted))]
    found = [[alike(t, asked, counted, offset) for offset in OFFSETS] for t in fed]
    best = [max([share for share in column if share is not None], default=None) for column in zip(*found)]
    return {"shift": best, "own": found[0], "among": len(fed), **tail(asked, counted), **filled(fed[0], asked, counted)}


def alike(tokens: Any, asked: Any, counted: Any, offset: int) -> float | None:
    """The share of the targets that are the tokens so many positions ahead."""
    width = min(asked.shape[1], tokens.shape[1] - offset)
    if width < LEAST or not bool(counted[:, :width].any()):
        return None
    return float((asked[:, :width] == tokens[:, offset : offset + width])[counted[:, :width]].float().mean())


def holds(tokens: Any, asked: Any, counted: Any) -> bool:
    """Whether all of the targets are a part of a tensor."""
    room = range(max(0, min(3, tokens.shape[1] - asked.shape[1] + 1)))
    return any(alike(tokens, asked, counted, offset) == 1.0 for offset in room)


def filled(tokens: Any, asked: Any, counted: Any) -> dict[str, Any]:
    """How many of the targets belong to places where the input is filled up: many rows end in one token that occurs
    nowhere else, and the targets there are one and the same. These may well occur elsewhere."""
    if tokens.shape != asked.shape:
        return {}
    value = tokens[:, -1].mode().values.item()
    runs = (tokens.flip(1) == value).long().cumprod(1).sum(1)
    places = torch.arange(tokens.shape[1], device=tokens.device)[None, :] >= tokens.shape[1] - runs[:, None]
    there, lengths = places & counted, int(runs.unique().numel())
    if float((runs > 1).float().mean()) < 0.2 or lengths < 2 or bool(((tokens == value) & ~places).any()):
        return {}
    if not bool(there.any()):
        return {}
    label = asked[there].mode().values.item()
    if float((asked[there] == label).float().mean()) < ALL_ALIKE:
        return {}
    return {"filled": float(there.sum() / counted.sum()), "filled_with": label, "filled_lengths": lengths}


def ends(target: Any) -> dict[str, Any]:
    """The same of series of numbers, one for each sample: whether they end in one number again and again."""
    series = target.detach()
    if series.dim() == 3 and series.shape[2] == 1:
        series = series[:, :, 0]
    if series.dim() != 2 or series.shape[0] < LEAST or series.shape[1] < LEAST:
        return {}
    return tail(series, torch.ones_like(series, dtype=torch.bool))


def tail(targets: Any, counted: Any) -> dict[str, Any]:
    """The token that most rows end with more than once, its share of what is counted, and how its length varies."""
    last = targets[:, -1]
    value = last.mode().values.item()
    runs = (targets.flip(1) == value).long().cumprod(1).sum(1)
    padded = runs > 1
    share = float(padded.float().mean())
    if share < 0.2 or bool((runs == targets.shape[1]).all()):
        return {}
    places = torch.arange(targets.shape[1], device=targets.device)[None, :] >= targets.shape[1] - runs[:, None]
    inside = (targets == value) & ~places
    return {
        "tail": value,
        "tail_counted": float((places & counted & padded[:, None]).sum() / counted.sum()),
        "tail_lengths": int(runs.unique().numel()),
        "tail_inside": float(inside.sum() / max(1, int((~places).sum()))),
    }
