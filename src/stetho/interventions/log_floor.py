"""Put a small floor under every logarithm that is about to be taken at zero.

## What changes
Zeros in the input of `log`, `log2` and `log10` are raised to 1e-8, and so is what their gradient sees.
Other inputs are left as they are.

## How it is known
No zero is left in what the logarithm is given.

## What it tells
If the NaN goes away and the loss comes down, the zeros made it. If the NaN goes away and the loss does not
come down, something else drives the values to zero.

## When it says nothing
No logarithm met a zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it stay finite, and learn, when no logarithm is taken at zero?"
applies = "programs that take logarithms of tensors"
somewhere = True
values = {"": "1e-8"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.05, "same": 0.75, "worse": 0.10, "new-failure": 0.07}}


def apply(run: Run, value: str) -> None:
    """Raise the zeros before torch's logarithms, as functions and as methods, get to see them."""
    torch = run.torch

    def raised(args: Any, kwargs: Any) -> Any:
        tensor = args[0] if args else kwargs.get("input")
        if not torch.is_tensor(tensor) or not tensor.is_floating_point() or not bool((tensor.detach() == 0).any()):
            return None
        tensor = tensor.clamp_min(1e-8)
        run.applied()
        if not bool((tensor.detach() == 0).any()):
            run.verified()
        return ((tensor, *args[1:]), kwargs) if args else (args, {**kwargs, "input": tensor})

    for name in ("log", "log2", "log10"):
        for owner in (torch, torch.Tensor):
            run.before(owner, name, raised)
