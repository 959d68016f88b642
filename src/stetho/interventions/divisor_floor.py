"""Leave out every quotient whose divisor is zero.

## What changes
Where a tensor is divided by zero, the quotient and its gradient are zero; other quotients are left as they are. The
mean of nothing is zero, and a spread that has no degree of freedom left is taken over all that there is.

## How it is known
The divisor holds no zero any more, and the quotient is finite where the dividend is.

## What it tells
If the NaN goes away and the loss comes down, the division made it.

## When it says nothing
Nothing is divided by zero, or only outside torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it stay finite, and learn, when nothing is divided by zero?"
applies = "programs that divide tensors"
somewhere = True
values = {"": "0 for each quotient with divisor 0"}
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.05, "same": 0.75, "worse": 0.10, "new-failure": 0.07}}
INSIDE = ("div_", "divide_", "true_divide_", "__itruediv__", "__idiv__")
DIVISIONS = ("div", "divide", "true_divide", "__truediv__", "__div__", *INSIDE)
SPREADS = ("std", "var", "std_mean", "var_mean")


def apply(run: Run, value: str) -> None:
    """Change torch's divisions, as functions, as methods and as operators."""
    torch = run.torch
    for name in DIVISIONS:
        for owner in (torch, torch.Tensor):
            if hasattr(owner, name):
                run.instead(owner, name, lambda original, *a, **k: divided(run, original, a, k))
    for name in ("__rtruediv__", "__rdiv__", "reciprocal"):
        for owner in (torch, torch.Tensor):
            if hasattr(owner, name):
                run.instead(owner, name, lambda original, *a, **k: inverted(run, original, a, k))
    for owner in (torch, torch.Tensor):
        run.instead(owner, "mean", lambda original, *a, **k: mean(run, original, a, k))
        for name in SPREADS:
            if hasattr(owner, name):
                run.instead(owner, name, lambda original, *a, **k: spread(run, original, a, k))


def zero(run: Run, value: Any) -> Any:
    """Where a divisor is zero: a mask, True for a plain zero, None when nowhere."""
    if isinstance(value, (int, float)):
        return True if value == 0 else None
    if not isinstance(value, run.torch.Tensor):
        return None
    with run.torch.no_grad():
        mask = value.detach() == 0
        return mask if bool(mask.any()) else None


def divided(run: Run, original: Any, args: Any, kwargs: Any) -> Any:
    """A quotient without what a zero would make of it."""
    named = len(args) < 2
    divisor = kwargs.get("other") if named else args[1]
    first = args[0] if args else None
    where = zero(run, divisor) if isinstance(first, run.torch.Tensor) else None
    if where is None:
        return original(*args, **kwargs)
    one = 1 if where is True else divisor.masked_fill(where, 1)
    result = original(first, **{**kwargs, "other": one}) if named else original(first, one, *args[2:], **kwargs)
    return left_out(run, result, where, inside=original.__name__ in INSIDE)


def inverted(run: Run, original: Any, args: Any, kwargs: Any) -> Any:
    """One over a tensor, or a number over a tensor."""
    divisor = args[0] if args else kwargs.get("input")
    where = zero(run, divisor)
    if where is None or where is True:
        return original(*args, **kwargs)
    one = divisor.masked_fill(where, 1)
    result = original(one, *args[1:], **kwargs) if args else original(**{**kwargs, "input": one})
    return left_out(run, result, where)


def left_out(run: Run, result: Any, where: Any, inside: bool = False) -> Any:
    """The quotient with zeros in the places in question."""
    run.applied()
    run.verified()
    if inside:
        return result.zero_() if where is True else result.masked_fill_(where, 0)
    return result * 0 if where is True else result.masked_fill(where.expand_as(result), 0)


def mean(run: Run, original: Any, args: Any, kwargs: Any) -> Any:
    """The mean of nothing is zero."""
    values = args[0] if args else kwargs.get("input")
    if not isinstance(values, run.torch.Tensor) or values.numel():
        return original(*args, **kwargs)
    run.applied()
    result = values.sum(*args[1:], **{k: v for k, v in kwargs.items() if k != "input"})
    if bool(run.torch.isfinite(result.detach()).all()):
        run.verified()
    return result


def spread(run: Run, original: Any, args: Any, kwargs: Any) -> Any:
    """A deviation or variance; where it is NaN for want of a second value, that of all there is."""
    result = original(*args, **kwargs)
    values = args[0] if args else kwargs.get("input")
    pair = result if isinstance(result, tuple) else (result,)
    if not bool(run.torch.isnan(pair[0].detach()).any()) or not bool(run.torch.isfinite(values.detach()).all()):
        return result
    if len(args) > 2 or (len(args) > 1 and isinstance(args[1], bool)) or not values.numel():
        run.refused("a spread of one value, asked for in a way that is not known here")
        return result
    again = original(*args, **{**{k: v for k, v in kwargs.items() if k != "unbiased"}, "correction": 0})
    run.applied()
    if not bool(run.torch.isnan((again if isinstance(again, tuple) else (again,))[0].detach()).any()):
        run.verified()
    return again
