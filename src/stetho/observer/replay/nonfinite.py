"""What a tensor holds, in the few numbers that tell why an operation went wrong."""

from __future__ import annotations

from typing import Any

import torch


def numbers(tensor: Any) -> dict[str, Any]:
    """The range of a tensor and how many zeros it holds."""
    value = tensor.detach().double()
    value = value[torch.isfinite(value)]
    return {
        "low": float(value.min()) if value.numel() else None,
        "high": float(value.max()) if value.numel() else None,
        "zeros": int((value == 0).sum()),
        "size": tensor.numel(),
    }


def state(tensor: Any) -> tuple[bool, bool]:
    """Whether a tensor holds a NaN, and whether it holds an infinity."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        value = tensor.detach()
        if not (value.is_floating_point() or value.is_complex()):
            return False, False
        value = value.coalesce().values() if value.is_sparse else value
        return bool(torch.isnan(value).any()), bool(torch.isinf(value).any())


def finite(tensor: Any) -> bool:
    """Whether every number of a gradient is finite."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        value = tensor.detach()
        value = value.coalesce().values() if value.is_sparse else value
        return bool(torch.isfinite(value).all())
