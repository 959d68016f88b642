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
# A loss that is multiplied by as much or more is divided by it again.
TIMES = 20.0
# Nodes that join terms.
JOINS = ("Add", "Sub", "Rsub", "Stack", "Cat")


class Averages:
    """Losses of torch's that are averaged now, and what the program does with them before backward."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.sizes: set[float] = set()
        self.nodes: dict[Any, float] = {}
        self.pending: list[float] = []

    def average(self, call: Any) -> None:
        """Call a loss with its mean where it is called with its sum."""
        if not trains(call):
            return
        # The older names for it: no average, but a reduction.
        old = call.get("size_average") is False and call.get("reduce") is not False
        if call.get("reduction", "mean") != "sum" and not old:
            self.run.refused("no loss is summed over the batch")
            return
        loss = getattr(self.run.torch.nn.functional, call.name)
        with self.run.torch.no_grad():
            total = loss(*call.args, **call.kwargs)
            if old:
                call.set("size_average", None)
            call.set("reduction", "mean")
            mean = loss(*call.args, **call.kwargs)
        self.run.applied()
        self.pending.append(float(total / mean))
        self.sizes |= sizes_of(self.run.torch, call)
        if abs(float(mean)) < abs(float(total)) or call.input.numel() == 1:
            self.run.verified()

    def note(self, call: Any, output: Any) -> None:
        """The node of a loss that is averaged now, and what it was divided by."""
        if self.pending and output.grad_fn is not None:
            self.nodes[output.grad_fn] = self.pending[-1]
        self.pending.clear()

    def followed(self, losses: Any) -> None:
        """What stands between the loss and backward: a division by the number of samples, or another term."""
        if not self.sizes:
            return
        divided, above = self.walked(losses)
        found = [node for node in divided if node in self.nodes]
        # A count may leave out a few, or go over several batches; what is far below it is something else.
        if any(divided[node] >= 0.5 * min(self.sizes) for node in found):
            self.run.contradicted("the program divides the sum by the number of its samples itself")
        if self.others(found, above):
            self.run.contradicted("other terms are added to the loss, whose weight would change")
        self.sizes.clear()
        self.nodes.clear()

    def walked(self, losses: Any) -> tuple[dict[Any, float], dict[Any, list[Any]]]:
        """The nodes from backward to the averaged losses: by what each is divided so far, and which are above it."""
        seen: dict[Any, float] = {t.grad_fn: 1.0 for t in losses if t.grad_fn is not None}
        ahead = list(seen)
        above: dict[Any, list[Any]] = {}
        for node in ahead:
            if node in self.nodes or len(ahead) > NODES:
                continue
            for below, _ in node.next_functions:
                above.setdefault(below, []).append(node)
                if below is not None and below not in seen:
                    seen[below] = seen[node] * self.divisor(node)
                    ahead.append(below)
        return seen, above

    def divisor(self, node: Any) -> float:
        """By what a node divides; a factor counts only where it is one over a size, as others are weights."""
        other: Any = getattr(node, "_saved_other", None)
        number = float(other) if self.run.torch.is_tensor(other) and other.numel() == 1 else 0.0
        if type(node).__name__ == "DivBackward0":
            return number or 1.0
        return 1 / number if number and any(abs(1 / number - size) < 1e-3 * size for size in self.sizes) else 1.0

    def others(self, found: list[Any], above: dict[Any, list[Any]]) -> bool:
        """Whether a term is joined with an averaged loss that is none, or was divided by another number."""
        leading, ahead = set(found), list(found)
        while ahead:
            for node in above.get(ahead.pop(), ()):
                if node not in leading:
                    leading.add(node)
                    ahead.append(node)
        joins = [node for node in leading - set(found) if type(node).__name__.startswith(JOINS)]
        by = [self.nodes[node] for node in found]
        uneven = any(abs(one - by[0]) > 1e-3 * abs(by[0]) for one in by)
        return uneven or any(n is not None and n not in leading for join in joins for n, _ in join.next_functions)


class Objective:
    """What backward is called on, where the program itself has summed it or multiplied it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.computed: list[float] = []

    def note(self, call: Any, output: Any) -> None:
        """What losses of torch's came to, by which a factor is known."""
        if trains(call) and output.numel() == 1:
            self.computed.append(float(output.detach()))

    def average(self, loss: Any) -> Any:
        """A sum that the program writes itself, over one number or more for each sample."""
        run, node = self.run, loss.grad_fn
        size = summed_by(node)
        rows = max(1, run.batch.size)
        times = self.times(loss)
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

    def times(self, loss: Any) -> float:
        """By what the one loss of torch's was multiplied since the last backward."""
        known = self.computed[0] if len(self.computed) == 1 else 0.0
        self.computed.clear()
        return float(loss.detach()) / known if known else 1.0


def apply(run: Run, value: str) -> None:
    """Set the reduction, and look afterwards whether the program divides by itself."""
    averages, objective = Averages(run), Objective(run)
    run.on_loss(averages.average)
    run.on_objective(objective.average)
    run.on_loss_over(objective.note)
    run.on_loss_over(averages.note)
    run.on_backward(averages.followed)


def trains(call: Any) -> bool:
    """Whether a call is that of a loss that is trained on."""
    return bool(call.trained) and call.name != "log_softmax"


def sizes_of(torch: Any, call: Any) -> set[float]:
    """The numbers of samples and elements by which the sum of a loss may be divided."""
    shape = tuple(call.input.shape)
    found = {float(call.input.numel()), float(shape[0] if shape else 1)} - {1.0}
    if torch.is_tensor(call.target):
        found |= {float(call.target.numel()), float((call.target != -100).sum())} - {0.0, 1.0}
    return found


def summed_by(node: Any) -> int:
    """How many numbers a node makes one of."""
    size = 1
    for length in getattr(node, "_saved_self_sym_sizes", None) or ():
        size *= int(length)
    return size
