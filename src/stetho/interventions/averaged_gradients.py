"""Step once in K steps, on the mean of the gradients that were made since.

## What changes
K - 1 of K steps of an optimizer find no gradients and change nothing; the K-th one finds the mean of all K. Rate,
schedule, data and their order stay as they are: it is as if batches were K times as large, and steps as many times
fewer.

## How it is known
Parameters are the same after each step that finds no gradients, and others after each one that finds their mean.

## What it tells
If the loss ends clearly lower after so many fewer steps at the same rate, the noise of single batches held it up.

## When it says nothing
Optimizers that evaluate the loss several times in a step. Runs of so few steps that hardly any would be left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn better when each step is made on the mean of several batches?"
applies = "any optimizer"
by_hand = False
values = {"": "as many as leave enough steps", "K": "the gradients of K steps"}
example = "8"
alters = "scatter"
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.42, "worse": 0.50, "new-failure": 0.03}}
# Steps that are to be left, and the fewest and the most gradients that are averaged.
LEFT, FEWEST, MOST = 80, 4, 32


def read(value: str) -> int:
    """How many gradients are averaged."""
    number = int(value or FEWEST)
    if number < 2:
        raise ValueError("a mean is one of two gradients or more")
    return number


def chosen(facts: Mapping[str, Any]) -> str:
    """As many as leave enough steps to learn in."""
    recorded = facts.get("recorded")
    steps = recorded.steps if recorded is not None else 0
    return str(max(FEWEST, min(MOST, steps // LEFT)))


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether enough steps would be left."""
    recorded = facts.get("recorded")
    return recorded is None or recorded.steps >= LEFT * FEWEST


class Mean:
    """The gradients of one optimizer since its last step, and what it is given in their place."""

    def __init__(self, run: Run, number: int) -> None:
        self.run, self.number = run, number
        self.sums: dict[int, Any] = {}
        self.count = self.closures = 0
        self.due = self.inside = False
        self.own: list[tuple[Any, Any]] = []
        self.before: tuple[Any, Any] | None = None

    def begins(self, optimizer: Any) -> None:
        """A step begins, and its gradients are there unless a closure is to make them."""
        self.inside, self.closures = True, 0
        if self.due:
            self.give(optimizer)

    def come(self, optimizer: Any) -> None:
        """The gradients of a step are there."""
        if not self.inside:
            # They are measured as they are before anything is put in their place.
            self.due = True
            return
        self.closures += 1
        if self.closures > 1:
            self.run.contradicted("the optimizer makes gradients several times in a step")
            return
        self.give(optimizer)

    def give(self, optimizer: Any) -> None:
        """Add the gradients up, and leave the step their mean or nothing."""
        self.due = False
        self.own = [(p, p.grad) for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        self.count += 1
        for parameter, gradient in self.own:
            held = self.sums.get(id(parameter))
            self.sums[id(parameter)] = gradient.detach().clone() if held is None else held + gradient.detach()
        ends = self.count == self.number
        for parameter, gradient in self.own:
            parameter.grad = (self.sums[id(parameter)] / self.number).to(gradient.dtype) if ends else None
        if self.own:
            parameter = max(self.own, key=lambda one: float(one[1].detach().abs().sum()))[0]
            self.before = parameter, parameter.detach().clone()

    def ended(self, optimizer: Any) -> None:
        """Give the program its own gradients back, and look at what the step has done."""
        self.inside = False
        for parameter, gradient in self.own:
            parameter.grad = gradient
        ends, self.own = self.count == self.number, []
        if ends:
            self.sums, self.count = {}, 0
            self.run.applied()
        if self.before is not None:
            parameter, was = self.before
            self.before = None
            stays = bool(self.run.torch.equal(parameter.detach(), was))
            if stays and not ends:
                self.run.verified()
            elif not stays and not ends:
                self.run.contradicted("the optimizer moves parameters that have no gradient")


def apply(run: Run, value: str) -> None:
    """Follow each optimizer by hooks of its own, which come after everything was measured."""
    number, known = read(value), dict[int, Mean]()

    def follow(optimizer: Any) -> Mean:
        found: Mean | None = known.get(id(optimizer))
        if found is None:
            found = known[id(optimizer)] = Mean(run, number)
            run.around_step(optimizer, found.begins, found.ended)
        return found

    @run.on_optimizer
    def made(optimizer: Any) -> None:
        follow(optimizer)

    @run.on_gradients
    def come(optimizer: Any) -> None:
        follow(optimizer).come(optimizer)
