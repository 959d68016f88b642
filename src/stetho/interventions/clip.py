"""Switch gradient clipping off, or clip at another norm, also where the program does not clip.

## What changes
`clip_grad_norm_` and `clip_grad_value_` still measure what they are asked to, and no longer shrink anything. With a
limit given, all gradients of an optimizer are then clipped to that norm just before it steps.

## How it is known
The norm of the gradients is measured before and after: unchanged without a limit, at most the limit with one.

## What it tells
If learning gets clearly better without, the clip held it back. If a run that diverges is calm with one, single large
gradients throw it off.

## When it says nothing
Off: programs that do not clip, or clip by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the clipping of gradients?"
applies = "off: programs that call torch's clip_grad_norm_ or clip_grad_value_; with a limit: any optimizer of torch's"
values = {"off": "no clipping", "V": "at norm V before each step", "on": "at norm 1"}
example = "0.5"
backgrounds = {
    "off": {"symptom-gone": 0.03, "better": 0.04, "same": 0.70, "worse": 0.15, "new-failure": 0.08},
    # Faults that are known to be calmed by it say so in their own files.
    "1": {"symptom-gone": 0.04, "better": 0.03, "same": 0.73, "worse": 0.18, "new-failure": 0.02},
}
groups = {"off": "none", "1": "limit"}


def read(value: str) -> float | None:
    """The limit, or None for no clipping."""
    if value == "off":
        return None
    limit = 1.0 if value == "on" else float(value)
    if not limit > 0:
        raise ValueError("a norm to clip at is above 0")
    return limit


def apply(run: Run, value: str) -> None:
    """Make the program's own clipping harmless; the limit, if there is one, is ours."""
    torch, limit = run.torch, read(value)

    def held(optimizer: Any) -> list[Any]:
        return [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]

    def norm(parameters: list[Any]) -> float:
        return float(torch.stack([p.grad.detach().float().norm() for p in parameters]).norm()) if parameters else 0.0

    def harmless() -> None:
        if limit is None:
            run.applied()

    @run.on_clip
    def unlimited(asked: Any) -> float:
        harmless()
        return float("inf")

    def by_value(args: Any, kwargs: Any) -> Any:
        harmless()
        if limit is None:
            run.verified()
        given = {**kwargs, "clip_value": float("inf")}
        return args[:1], given

    run.before(torch.nn.utils, "clip_grad_value_", by_value)

    @run.on_gradients
    def shrink(optimizer: Any) -> None:
        parameters = held(optimizer)
        if limit is None:
            measured = run.clipped_norm
            if measured is None:
                run.refused("the program has not clipped its gradients")
            elif norm(parameters) >= 0.999 * measured or measured != measured:
                run.verified()
            else:
                run.contradicted("gradients became smaller between the clipping and the step")
            return
        # Some optimizers take a scaler's factor out within their step, or leave the step out.
        scale, bad = getattr(optimizer, "grad_scale", None), getattr(optimizer, "found_inf", None)
        if not parameters or (bad is not None and bool(bad)):
            return
        factor = 1.0 if scale is None else float(scale)
        total = norm(parameters) / factor
        if total > limit:
            for parameter in parameters:
                parameter.grad.mul_(limit / (total + 1e-6))
        run.applied()
        if norm(parameters) / factor <= limit * 1.001 or total != total:
            run.verified()
