"""Put a small floor under every logarithm that is about to be taken at zero.

## What changes
Zeros in the input of `log`, `log2` and `log10` are raised to 1e-8, and so is what their gradient sees.
Other inputs are left as they are.

## What it tells
If the NaN goes away and the loss comes down, the zeros made it. If the NaN goes away and the loss does not
come down, something else drives the values to zero.

## When it says nothing
No logarithm met a zero.
"""

from __future__ import annotations

from typing import Any

kind = "control"
question = "Does it stay finite, and learn, when no logarithm is taken at zero?"
applies = "programs that take logarithms of tensors"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.05, "same": 0.75, "worse": 0.10, "new-failure": 0.07}}


def apply(run: Any, value: str) -> None:
    """Replace the logarithms of torch, as functions and as methods, by ones that raise zeros first."""
    torch = run.torch

    def floored(original: Any) -> Any:
        def log(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if torch.is_tensor(tensor) and tensor.is_floating_point() and bool((tensor.detach() == 0).any()):
                run.applied()
                tensor = tensor.clamp_min(1e-8)
            return original(tensor, *args, **kwargs)

        return log

    for name in ("log", "log2", "log10"):
        for owner in (torch, torch.Tensor):
            setattr(owner, name, floored(getattr(owner, name)))
