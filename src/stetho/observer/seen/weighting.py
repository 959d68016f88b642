"""How a loss weighs its classes and spreads its targets: both move what answering by chance costs."""

from __future__ import annotations

from typing import Any

import torch

INDEXED = ("cross_entropy", "nll_loss")
# Weights of more classes are not written.
MOST = 256


def weighting(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Weights of classes (`cw`), of the positive one (`pw`), of samples (`sw`), and smoothed targets (`ls`)."""
    fields: dict[str, Any] = {}
    weight = args[2] if len(args) > 2 else kwargs.get("weight")
    if name in INDEXED:
        if isinstance(weight, torch.Tensor) and weight.numel() <= MOST:
            fields["cw"] = weight.detach().float().reshape(-1).tolist()
        smoothing = args[7] if len(args) > 7 else kwargs.get("label_smoothing")
        if isinstance(smoothing, float) and smoothing > 0:
            fields["ls"] = smoothing
    elif name.startswith("binary_cross_entropy"):
        positive = args[5] if len(args) > 5 else kwargs.get("pos_weight")
        if isinstance(positive, torch.Tensor) and positive.numel() == 1:
            fields["pw"] = float(positive)
        if isinstance(weight, torch.Tensor) or (isinstance(positive, torch.Tensor) and positive.numel() != 1):
            fields["sw"] = True
    return fields
