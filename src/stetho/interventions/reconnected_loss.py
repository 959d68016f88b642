"""Call backward on the loss that the value was taken from.

## What changes
Where the loss that backward is called on has no graph, the losses whose values were read since the last one, by
`item()`, `detach()`, `tolist()` or as results of the library's losses, take its place: the one of the same value, or
their mean or sum if that is the value.

## How it is known
The value is the same, and after backward parameters of the optimizer have gradients.

## What it tells
If the run learns now, its loss was cut off from the model.

## When it says nothing
Losses that have a graph; values that were computed in numpy from several others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the loss keeps its way back to the model?"
applies = "losses without a graph"
by_hand = False
values = {"": "every loss that has none"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.02, "same": 0.90, "worse": 0.04, "new-failure": 0.02}}
# Values that are held between two backwards.
MOST = 512


def apply(run: Run, value: str) -> None:
    """Remember what had a graph when its value was read, and use it in place of a value without one."""
    torch = run.torch
    held: list[Any] = []
    pending: list[bool] = []

    def remember(tensor: Any) -> None:
        known = torch.is_tensor(tensor) and tensor.numel() == 1 and tensor.grad_fn is not None
        if known and len(held) < MOST and all(tensor is not one for one in held):
            held.append(tensor)

    def read(args: Any, kwargs: Any) -> None:
        if args:
            remember(args[0])

    for name in ("item", "detach", "tolist", "__float__", "numpy"):
        run.before(torch.Tensor, name, read)

    @run.on_loss_over
    def computed(call: Any, output: Any) -> None:
        remember(output)

    def matching(number: float) -> Any:
        """What has that value: one of the losses, or all of them together."""
        for one in reversed(held):
            if close(float(one.data), number):
                return one.reshape(())
        if not held:
            return None
        whole = torch.stack([one.reshape(()) for one in held])
        return next((made for made in (whole.mean(), whole.sum()) if close(float(made.data), number)), None)

    def close(one: float, two: float) -> bool:
        return abs(one - two) <= 1e-4 * max(abs(one), abs(two), 1e-6)

    @run.on_objective
    def reconnected(loss: Any) -> Any:
        found = matching(float(loss.data)) if loss.grad_fn is None or not reaches(loss) else None
        if found is None:
            run.refused("the loss has a graph" if loss.grad_fn is not None else "no loss of that value was seen")
            held.clear()
            return loss
        run.applied()
        pending.append(True)
        return found.reshape(loss.shape)

    def reaches(loss: Any) -> bool:
        """Whether any parameter of an optimizer lies below the loss."""
        ours = {id(p) for o in run.optimizers for g in o.param_groups for p in g["params"]}
        seen: set[Any] = set()
        ahead = [loss.grad_fn]
        while ahead and len(seen) < 5000:
            node = ahead.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            if id(getattr(node, "variable", None)) in ours:
                return True
            ahead.extend(n for n, _ in node.next_functions)
        return bool(ahead)

    @run.on_backward_over
    def arrived() -> None:
        held.clear()
        if pending and any(p.grad is not None for o in run.optimizers for g in o.param_groups for p in g["params"]):
            run.verified()
        pending.clear()
