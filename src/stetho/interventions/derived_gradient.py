"""Take a function's gradient from its forward pass instead of the one that is written by hand.

## What changes
In backward the forward pass of the function is computed once more with gradients, on the same arguments and with the
same random numbers, and torch derives the gradient from it.

## How it is known
The gradient that is written is computed beside it, and the two differ.

## What it tells
If learning gets clearly better, the gradient that is written is wrong.

## When it says nothing
Forward passes that torch cannot follow, or that change their arguments in place; functions whose output moves in steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Does it learn when gradients are derived instead of written by hand?"
applies = "programs with an autograd function of their own"
values = {"": "of the functions whose gradient is wrong", "NAMES": "of these functions"}
cost = 1.5
# A gradient that is another one on purpose is missed when it is gone.
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.45, "worse": 0.43, "new-failure": 0.07}}
# Calls in which both gradients are computed.
BOTH = 40


def chosen(facts: Mapping[str, Any]) -> str:
    """The functions whose gradient was seen to be wrong."""
    found = facts.get("hand-gradients")
    return "" if found is None else ",".join(one.path for one in found.functions if one.says == "wrong")


class Unfollowed(Exception):
    """The forward pass does something that a second one must not do."""


class Aside:
    """Stands in for a function's context, in a forward pass whose notes nobody reads."""

    def __init__(self, needs: Any) -> None:
        self.needs_input_grad = needs

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    save_for_forward = mark_non_differentiable = set_materialize_grads = lambda self, *given: None

    def mark_dirty(self, *tensors: Any) -> None:
        raise Unfollowed


class Derived:
    """One function, with the gradient that torch derives."""

    def __init__(self, run: Run, function: Any) -> None:
        self.run, self.torch = run, run.torch
        self.forward, self.written = function.forward, function.backward
        self.separate = function.setup_context is not run.torch.autograd.Function.setup_context
        self.prepare = function.setup_context
        self.looked = 0
        if self.separate:
            function.setup_context = staticmethod(self.noting)
        else:
            function.forward = staticmethod(self.called)
        function.backward = staticmethod(self.backward)

    def called(self, context: Any, *given: Any) -> Any:
        """The forward pass, with what it was given kept beside its own notes."""
        context.stetho_given = (given, self.torch.get_rng_state())
        return self.forward(context, *given)

    def noting(self, context: Any, inputs: Any, output: Any) -> Any:
        """The same for functions that make their notes after the forward pass."""
        context.stetho_given = (inputs, self.torch.get_rng_state())
        return self.prepare(context, inputs, output)

    def backward(self, context: Any, *came: Any) -> Any:
        try:
            found = self.derive(context, came)
        except (Unfollowed, RuntimeError, TypeError) as error:
            self.run.refused(f"torch cannot follow the forward pass: {error}"[:160])
            return self.written(context, *came)
        self.run.applied()
        if self.looked < BOTH:
            self.looked += 1
            self.look(found, self.written(context, *came))
        return found

    def derive(self, context: Any, came: Any) -> tuple[Any, ...]:
        """The gradients of the arguments, from the forward pass itself."""
        torch, (given, random) = self.torch, context.stetho_given
        needs = context.needs_input_grad
        inputs = [a.detach().requires_grad_() if needs[i] else a for i, a in enumerate(given)]
        now = torch.get_rng_state()
        try:
            torch.set_rng_state(random)
            with torch.enable_grad():
                made = self.forward(*inputs) if self.separate else self.forward(Aside(needs), *inputs)
        finally:
            torch.set_rng_state(now)
        outputs = made if isinstance(made, (tuple, list)) else (made,)
        followed = [i for i, o in enumerate(outputs) if came[i] is not None and getattr(o, "requires_grad", False)]
        if not followed:
            raise Unfollowed("no output follows an argument")
        asked = [i for i, need in enumerate(needs) if need]
        slopes = torch.autograd.grad(
            [outputs[i] for i in followed], [inputs[i] for i in asked], [came[i] for i in followed], allow_unused=True
        )
        return tuple(slopes[asked.index(i)] if i in asked else None for i in range(len(needs)))

    def look(self, found: tuple[Any, ...], written: Any) -> None:
        """Count the calls in which the two gradients are not the same."""
        others = written if isinstance(written, tuple) else (written,)
        for i, mine in enumerate(found):
            theirs = others[i] if i < len(others) else None
            if mine is None and theirs is None:
                continue
            one, two = (self.torch.zeros(()) if g is None else g.detach() for g in (mine, theirs))
            if float((one - two).abs().max()) > 0.01 * max(float(v.abs().max()) for v in (one, two)):
                self.run.verified()
                return


def apply(run: Run, value: str) -> None:
    """Look for the functions once the program has defined them."""
    wanted = {name for name in value.split(",") if name}
    known: dict[Any, Derived] = {}

    def look(_: Any) -> None:
        waiting = list(run.torch.autograd.Function.__subclasses__())
        while waiting:
            function = waiting.pop()
            waiting += function.__subclasses__()
            if function.__qualname__ in wanted and function not in known:
                known[function] = Derived(run, function)

    run.on_optimizer(look)
    run.on_stepped(look)
