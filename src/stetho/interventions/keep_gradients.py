"""Give gradients back that were cleared between backward and the step.

## What changes
Where a step would find no gradients, or zeros, for parameters that the last backward has given some, they get these
back just before the step, as they were when they were cleared: clipped and unscaled, if that came first. Where all
that a backward has made is cleared before another backward, with no step between them, it is added to what the step
finds.

## How it is known
Parameters that got their gradient back are others after the step than before it.

## What it tells
If the model now learns, its gradients were cleared before they could be used.

## When it says nothing
Programs whose steps find their gradients. A backward that some of whose gradients are used, as where two networks
train against each other; one that was called for the gradient of an input; one after which the program moved the
weights by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when each step finds the gradients that backward has made?"
applies = "programs that clear gradients between backward and step"
values = {"": "just before the step"}
alters = "objectives"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.76, "worse": 0.14, "new-failure": 0.05}}


class Made(NamedTuple):
    """What the last backward has made for a parameter."""

    parameter: Any
    gradient: Any
    sum: float
    """Of the parameter's values then, to tell whether the program has moved it since."""


class Gradients:
    """Notes the gradients that backward has made, and copies what is about to be overwritten with zeros."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.made: dict[int, Made] = {}
        self.places: dict[int, int] = {}
        """The parameters by where their gradients lie."""
        self.kept: dict[int, Any] = {}
        self.earlier: dict[int, Any] = {}
        """What earlier backwards have made for nothing since the last step."""
        self.stepped = self.of_input = False

    def begin(self, losses: Any) -> None:
        """Another backward: what the last one has made was for nothing, or it was used, or was not for a step."""
        moved = any(total(one.parameter) != one.sum for one in self.made.values())
        cleared = [one.parameter for one in self.made.values() if self.missing(one.parameter)]
        if cleared and len(cleared) == len(self.made) and not (self.stepped or self.of_input or moved):
            for parameter in cleared:
                lost = self.of(parameter)
                self.earlier[id(parameter)] = plus(self.earlier.get(id(parameter)), lost)
        self.made.clear()
        self.places.clear()
        self.kept.clear()
        self.stepped = False
        # An attack wants the gradient of an input; what it leaves on the weights is cleared because nobody wants it.
        known = self.run.torch.nn.Parameter
        self.of_input = any(not isinstance(leaf, known) for loss in losses for leaf in self.run.trained_by(loss))

    def note(self) -> None:
        """A backward is over."""
        for parameter in [p for optimizer in self.run.optimizers for p in held(optimizer)]:
            gradient = parameter.grad
            if gradient is None:
                continue
            self.made[id(parameter)] = Made(parameter, gradient, total(parameter))
            if not gradient.is_sparse:
                self.places[gradient.data_ptr()] = id(parameter)

    def by_optimizer(self, args: Any, kwargs: Any) -> None:
        """An optimizer clears gradients."""
        if self.made:
            self.cleared(held(args[0]))

    def by_module(self, args: Any, kwargs: Any) -> None:
        """A module clears gradients."""
        if self.made:
            self.cleared(args[0].parameters())

    def by_hand(self, args: Any, kwargs: Any) -> None:
        """A tensor is set to zero, which may be a gradient."""
        if not self.made or args[0].is_sparse:
            return
        known = self.made.get(self.places.get(args[0].data_ptr(), 0))
        if known is not None:
            self.cleared([known.parameter])

    def cleared(self, parameters: Iterable[Any]) -> None:
        """Copy the gradients that are there still."""
        for parameter in parameters:
            known = self.made.get(id(parameter))
            if known is not None and parameter.grad is known.gradient and id(parameter) not in self.kept:
                self.kept[id(parameter)] = known.gradient.detach().clone()

    def unscaled(self, args: Any, kwargs: Any) -> None:
        """A scaler takes its factor out of the gradients that are there; those that were cleared have it still."""
        scaler, optimizer = args[0], kwargs.get("optimizer", args[1] if len(args) > 1 else None)
        for parameter in held(optimizer):
            number = id(parameter)
            if parameter.grad is None and number in self.made:
                self.kept.setdefault(number, self.made[number].gradient)
            for lost in (self.kept, self.earlier):
                if number in lost:
                    lost[number] = lost[number] / scaler.get_scale()
                    self.finite(lost[number])

    def finite(self, gradient: Any) -> None:
        """A gradient that is given back must be one that a scaler lets through."""
        if not bool(gradient.isfinite().all()):
            self.run.contradicted("the scaler would have left out steps whose gradients were cleared")

    def missing(self, parameter: Any) -> bool:
        """Whether a parameter has lost what backward has made for it."""
        gradient = parameter.grad
        return gradient is None or (id(parameter) in self.kept and not bool(gradient.any()))

    def of(self, parameter: Any) -> Any:
        """The gradient as it was when it was cleared."""
        return self.kept.get(id(parameter), self.made[id(parameter)].gradient)

    def used(self, optimizer: Any) -> None:
        """What this step uses is not for the next one."""
        self.stepped = True
        for parameter in held(optimizer):
            self.made.pop(id(parameter), None)
            self.kept.pop(id(parameter), None)
            self.earlier.pop(id(parameter), None)


class GivingBack:
    """Gives gradients back just before a step, and sees what the step makes of them."""

    def __init__(self, run: Run, gradients: Gradients) -> None:
        self.run, self.gradients = run, gradients
        self.moved: list[tuple[Any, Any]] = []
        """Parameters that got their gradient back, with their values before the step."""

    def before(self, optimizer: Any) -> None:
        """Give back what the step would miss."""
        made, earlier = self.gradients.made, self.gradients.earlier
        found = [p for p in held(optimizer) if id(p) in made]
        lost = [p for p in held(optimizer) if id(p) in earlier or (id(p) in made and self.gradients.missing(p))]
        for parameter in lost:
            self.give_back(optimizer, parameter)
        self.gradients.used(optimizer)
        if lost:
            self.run.applied(len(lost))
        elif found:
            self.run.refused("the steps find their gradients")
        else:
            self.run.refused("no backward has made gradients for the step")

    def give_back(self, optimizer: Any, parameter: Any) -> None:
        """What backward has made, and what earlier ones have made for nothing."""
        if id(parameter) in self.gradients.made and self.gradients.missing(parameter):
            parameter.grad = self.gradients.of(parameter)
        if id(parameter) in self.gradients.earlier:
            parameter.grad = plus(parameter.grad, self.gradients.earlier[id(parameter)])
        if getattr(optimizer, "grad_scale", None) is not None:
            self.gradients.finite(parameter.grad)
        self.moved.append((parameter, parameter.detach().clone()))

    def after(self, optimizer: Any) -> None:
        """Count the parameters that are others than before."""
        equal = self.run.torch.equal
        self.run.verified(sum(not equal(parameter.detach(), before) for parameter, before in self.moved))
        self.moved.clear()


def apply(run: Run, value: str) -> None:
    """Note the gradients when backward has made them and give back those that a step would miss."""
    torch, gradients = run.torch, Gradients(run)
    giving = GivingBack(run, gradients)
    run.on_backward(gradients.begin)
    run.on_backward_over(gradients.note)
    run.before(torch.optim.Optimizer, "zero_grad", gradients.by_optimizer)
    run.before(torch.nn.Module, "zero_grad", gradients.by_module)
    run.before(torch.Tensor, "zero_", gradients.by_hand)
    scaler = getattr(torch.amp, "GradScaler", None) or torch.cuda.amp.GradScaler
    run.before(scaler, "unscale_", gradients.unscaled)
    run.on_gradients(giving.before)
    run.on_stepped(giving.after)


def held(optimizer: Any) -> list[Any]:
    """The parameters of an optimizer."""
    return [p for group in optimizer.param_groups for p in group["params"]]


def plus(one: Any, other: Any) -> Any:
    """The sum of two gradients, the first of which may be missing."""
    return other if one is None else one + other


def total(parameter: Any) -> float:
    """The sum of a parameter's values."""
    return float(parameter.detach().double().sum())
