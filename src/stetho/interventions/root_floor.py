"""Put a small floor under every square root that is about to be taken at zero.

## What changes
Zeros under `sqrt`, `rsqrt` and powers below one are raised to 1e-12 where a gradient will be taken; the gradient of
those that were raised is zero. Other inputs are left as they are.

## How it is known
No zero is left in what the root is given.

## What it tells
If the NaN goes away and the loss comes down, the slope of the root at zero made it.

## When it says nothing
No root with a gradient met a zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it stay finite, and learn, when no square root is taken at zero?"
applies = "programs that take square roots of tensors"
somewhere = True
values = {"": "1e-12"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.05, "same": 0.75, "worse": 0.10, "new-failure": 0.07}}
FLOOR = 1e-12


def apply(run: Run, value: str) -> None:
    """Raise the zeros before torch's roots, as functions, methods and powers, get to see them."""
    torch = run.torch

    def raised(args: Any, kwargs: Any) -> Any:
        tensor = args[0] if args else kwargs.get("input")
        if not torch.is_tensor(tensor) or not tensor.is_floating_point() or not tensor.requires_grad:
            return None
        zeros = tensor.detach() == 0
        if not torch.is_grad_enabled() or not bool(zeros.any()):
            return None
        tensor = tensor.masked_fill(zeros, max(FLOOR, torch.finfo(tensor.dtype).tiny))
        run.applied()
        if not bool((tensor.detach() == 0).any()):
            run.verified()
        return ((tensor, *args[1:]), kwargs) if args else (args, {**kwargs, "input": tensor})

    def below_one(args: Any, kwargs: Any) -> Any:
        power = args[1] if len(args) > 1 else kwargs.get("exponent")
        return raised(args, kwargs) if isinstance(power, (int, float)) and 0 < power < 1 else None

    for owner in (torch, torch.Tensor):
        for name in ("sqrt", "rsqrt", "sqrt_"):
            if hasattr(owner, name):
                run.before(owner, name, raised)
        for name in ("pow", "float_power", "__pow__"):
            if hasattr(owner, name):
                run.before(owner, name, below_one)
