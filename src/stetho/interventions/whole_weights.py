"""Keep the weights in single precision.

## What changes
Of each parameter that is in half precision a copy in single precision is kept. An optimizer steps on that copy, with
the gradients that it was given and with notes in single precision; the model then gets the copy, rounded. What the
model computes, and in which type, stays as it is.

## How it is known
After a step the parameter is its copy, rounded, and the copy has moved.

## What it tells
If training goes better, the steps were too small for the type of the weights: they were rounded away.

## When it says nothing
No parameter is in half precision; optimizers that ask for the loss several times in a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when no step is rounded away?"
applies = "models with parameters in half precision"
by_hand = False
values = {"": "every parameter in half precision"}
# Weights with more digits change a run whose steps are large enough by nothing that can be seen.
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.90, "worse": 0.03, "new-failure": 0.02}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether weights in half precision were seen to be stepped on."""
    return facts.get("rounded-updates") is not None


class Copies:
    """The copies in single precision, and what stands in their place between steps."""

    def __init__(self, run: Run) -> None:
        self.run, self.torch = run, run.torch
        self.half = (run.torch.float16, run.torch.bfloat16)
        self.copies: dict[int, Any] = {}
        self.lent: list[tuple[Any, Any, Any]] = []

    def lend(self, optimizer: Any) -> None:
        """Put the copies, and gradients like them, in the place of the parameters."""
        if self.lent or isinstance(optimizer, self.torch.optim.LBFGS):
            self.run.refused("the optimizer asks for the loss while it steps")
            return
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.dtype in self.half and parameter.grad is not None and not parameter.grad.is_sparse:
                    self.put_in(optimizer, parameter)

    def put_in(self, optimizer: Any, parameter: Any) -> None:
        own, gradient = parameter.data, parameter.grad
        copy = self.copies.get(id(parameter))
        # What else has written to the parameter since counts; rounding is all that may lie between the two.
        if copy is None or not self.torch.equal(copy.to(own.dtype), own):
            copy = self.copies[id(parameter)] = own.float()
        self.lent.append((parameter, own, gradient))
        parameter.grad = None
        parameter.data = copy
        parameter.grad = gradient.float()
        notes = optimizer.state.get(parameter, {})
        for key, note in notes.items():
            if self.torch.is_tensor(note) and note.dtype in self.half and note.shape == parameter.shape:
                notes[key] = note.float()

    def take_back(self, optimizer: Any) -> None:
        """Give the parameters their own memory back, with the copies rounded into it."""
        lent, self.lent = self.lent, []
        moved = False
        for parameter, own, gradient in lent:
            copy = parameter.data
            moved = moved or not self.torch.equal(copy.to(own.dtype), own) or bool((copy != own.float()).any())
            parameter.grad = None
            own.copy_(copy)
            parameter.data = own
            parameter.grad = gradient
        if lent:
            self.run.applied(len(lent))
        if lent and moved:
            self.run.verified()


def apply(run: Run, value: str) -> None:
    """Lend each optimizer the copies for the length of a step."""
    copies = Copies(run)
    run.on_gradients(copies.lend)
    run.on_stepped(copies.take_back)
