"""Put a limit on what goes into an exponential that would overflow.

## What changes
An input of `exp`, `exp2`, `expm1`, `sinh` or `cosh` that would overflow is cut off at 40, or at 8 in float16, with its
gradient passed on as if it were not. Inputs that do not overflow are left as they are.

## How it is known
What the exponential gives is finite.

## What it tells
If the NaN goes away and the loss comes down, the overflow made it. If the NaN goes away and the loss does not come
down, something else drives the numbers up.

## When it says nothing
No exponential overflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it stay finite, and learn, when no exponential overflows?"
applies = "programs that take exponentials of tensors"
somewhere = True
values = {"": "40"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.05, "same": 0.75, "worse": 0.10, "new-failure": 0.07}}
LIMIT, HALF = 40.0, 8.0


def apply(run: Run, value: str) -> None:
    """Cut off the input of torch's exponentials, as functions and as methods."""
    torch = run.torch

    def cut_off(original: Any, *args: Any, **kwargs: Any) -> Any:
        tensor: Any = args[0] if args else kwargs.get("input")
        if not torch.is_tensor(tensor) or not tensor.is_floating_point():
            return original(*args, **kwargs)
        with torch.no_grad():
            lost = torch.isinf(original(tensor.detach()))
            overflows = bool((lost & torch.isfinite(tensor.detach())).any())
        if not overflows:
            return original(*args, **kwargs)
        limit = HALF if tensor.dtype == torch.float16 else LIMIT
        # The gradient goes on as the exponential of the limit gives it.
        lowest = -limit if original.__name__ in ("sinh", "cosh") else None
        below = tensor - (tensor - tensor.clamp(lowest, limit)).detach()
        result = original(below, *args[1:], **kwargs) if args else original(**{**kwargs, "input": below})
        run.applied()
        if bool(torch.isfinite(result.detach()[torch.isfinite(tensor.detach())]).all()):
            run.verified()
        return result

    for owner in (torch, torch.Tensor):
        for name in ("exp", "exp2", "expm1", "sinh", "cosh"):
            run.instead(owner, name, cut_off)
