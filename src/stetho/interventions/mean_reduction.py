"""Average the loss over the batch where the program sums it.

## What changes
Losses of torch's that are trained on and called with `reduction="sum"` are called with "mean". Where the last thing
done to a loss is a plain sum over a batch, backward is called on the mean of what was summed; where a loss is
multiplied by twenty or more, on the loss itself.

## How it is known
Both are computed, and the mean is the smaller one. Where the program then divides the loss by the number of its samples
or elements, it makes the mean itself, and where it adds other terms, their weight would change: the run does not count.

## What it tells
If a run that diverges is calm, its gradients were as many times too large as a batch has elements.

## When it says nothing
Losses that are averaged already, or not reduced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Is the loss too large because it is summed over the batch?"
applies = "losses of torch.nn.functional with reduction='sum'"
values = {"": "every loss that is trained on"}
alters = "loss"
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.04, "same": 0.66, "worse": 0.25, "new-failure": 0.02}}
# Nodes between backward and a loss that are looked at for a division or another term.
NODES = 256
# Nodes that join terms.
# A loss that is multiplied by as much or more is divided by it again.
TIMES = 20.0
JOINS = ("Add", "Sub", "Rsub", "Stack", "Cat")


def apply(run: Run, value: str) -> None:
    """Set the reduction, and look afterwards whether the program divides by itself."""
    torch = run.torch
    sizes: set[float] = set()
    averaged: dict[Any, float] = {}
    pending: list[float] = []
    computed: list[float] = []

    @run.on_loss
    def average(call: Any) -> None:
        if not call.trained or call.name == "log_softmax":
            return
        # The older names for it: no average, but a reduction.
        old = call.get("size_average") is False and call.get("reduce") is not False
        if call.get("reduction", "mean") != "sum" and not old:
            run.refused("no loss is summed over the batch")
            return
        loss = getattr(torch.nn.functional, call.name)
        with torch.no_grad():
            total = loss(*call.args, **call.kwargs)
            if old:
                call.set("size_average", None)
            call.set("reduction", "mean")
            mean = loss(*call.args, **call.kwargs)
        run.applied()
        pending.append(float(total / mean))
        shape = tuple(call.input.shape)
        sizes.update({float(call.input.numel()), float(shape[0] if shape else 1)} - {1.0})
        if torch.is_tensor(call.target):
            sizes.update({float(call.target.numel()), float((call.target != -100).sum())} - {0.0, 1.0})
        if abs(float(mean)) < abs(float(total)) or call.input.numel() == 1:
            run.verified()

    @run.on_objective
    def plain(loss: Any) -> Any:
        """A sum that the program writes itself, over one number or more for each sample."""
        node, size = loss.grad_fn, 1
        for length in getattr(node, "_saved_self_sym_sizes", None) or ():
            size *= int(length)
        rows = max(1, run.batch.size)
        times = float(loss.detach()) / computed[0] if len(computed) == 1 and computed[0] else 1.0
        computed.clear()
        if abs(times) >= TIMES:
            run.applied()
            run.verified()
            return loss / abs(times)
        if type(node).__name__ not in ("SumBackward0", "SumBackward1") or size < 2 or size % rows:
            run.refused("no loss is summed over the batch")
            return loss
        run.applied()
        mean = loss / size
        if abs(float(mean.detach())) <= abs(float(loss.detach())):
            run.verified()
        return mean

    def divisor(node: Any) -> float:
        """By what a node divides; a factor counts only where it is one over a size, as others are weights."""
        other: Any = getattr(node, "_saved_other", None)
        number = float(other) if torch.is_tensor(other) and other.numel() == 1 else 0.0
        if type(node).__name__ == "DivBackward0":
            return number or 1.0
        return 1 / number if number and any(abs(1 / number - size) < 1e-3 * size for size in sizes) else 1.0

    @run.on_loss_over
    def note(call: Any, output: Any) -> None:
        """The node of a loss that is averaged now, and what it was divided by."""
        if call.trained and call.name != "log_softmax" and output.numel() == 1:
            computed.append(float(output.detach()))
        if pending and output.grad_fn is not None:
            averaged[output.grad_fn] = pending[-1]
        pending.clear()

    @run.on_backward
    def joined(losses: Any) -> None:
        """What stands between the loss and backward: a division by the number of samples, or another term."""
        if not sizes:
            return
        seen: dict[Any, float] = {t.grad_fn: 1.0 for t in losses if t.grad_fn is not None}
        ahead = list(seen)
        above: dict[Any, list[Any]] = {}
        for node in ahead:
            if node in averaged or len(ahead) > NODES:
                continue
            for below, _ in node.next_functions:
                above.setdefault(below, []).append(node)
                if below is not None and below not in seen:
                    seen[below] = seen[node] * divisor(node)
                    ahead.append(below)
        found = [node for node in ahead if node in averaged]
        # A count may leave out a few, or go over several batches; what is far below it is something else.
        if any(seen[node] >= 0.5 * min(sizes) for node in found):
            run.contradicted("the program divides the sum by the number of its samples itself")
        if others(found, above):
            run.contradicted("other terms are added to the loss, whose weight would change")
        sizes.clear()
        averaged.clear()

    def others(found: list[Any], above: Any) -> bool:
        """Whether a term is joined with an averaged loss that is none, or was divided by another number."""
        leading, ahead = set(found), list(found)
        while ahead:
            for node in above.get(ahead.pop(), ()):
                if node not in leading:
                    leading.add(node)
                    ahead.append(node)
        joins = [node for node in leading - set(found) if type(node).__name__.startswith(JOINS)]
        by = [averaged[node] for node in found]
        uneven = any(abs(one - by[0]) > 1e-3 * abs(by[0]) for one in by)
        return uneven or any(n is not None and n not in leading for join in joins for n, _ in join.next_functions)
