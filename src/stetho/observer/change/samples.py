"""Other samples in the place of a model's own: labels, masks and what another model made are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

import torch

from .batch import Path, identity

if TYPE_CHECKING:
    from .run import Run

# Which model, and where in its arguments.
Place = Tuple[int, Path]
Change = Callable[[Place, Any, bool], Optional[Any]]
"""`change(place, tensor, known)`: the tensor to put there, if any; it counts once labels are told apart."""
Look = Callable[[Place, Any, Any], None]
"""`look(place, given, entered)`: after the call, what the program gave and what the model was called with."""


class Samples:
    """Hands each tensor of samples to a change, and what became of it to its look."""

    def __init__(self, run: Run, change: Change, look: Look, always: bool) -> None:
        self.run, self.change, self.look = run, change, look
        self.given: dict[Place, Any] = {}
        run.on_input(self.enter)
        run.on_left(self.left)
        if always:
            run.on_idle_input(self.enter_idle)

    def enter(self, module: Any, args: Any, kwargs: Any) -> Any:
        """A call for training."""
        return self._replaced(module, args, kwargs, self.run.batch.known)

    def enter_idle(self, module: Any, args: Any, kwargs: Any) -> Any:
        """A call for evaluation, of a model whose labels are known from training."""
        return self._replaced(module, args, kwargs, True) if identity(module) in self.run.batch.met else None

    def _replaced(self, module: Any, args: Any, kwargs: Any, known: bool) -> Any:
        self.given = {}
        new: dict[Path, Any] = {}
        for path, tensor in self.run.batch.samples(module, args, kwargs).items():
            place = (identity(module), path)
            changed = self.change(place, tensor.detach(), known)
            if known and changed is not None:
                new[path] = in_place_of(tensor, changed)
                self.given[place] = tensor.detach()
        return self.run.batch.replaced(args, kwargs, new) if new else None

    def left(self, module: Any, training: bool) -> None:
        given, self.given = self.given, {}
        for place, tensor in given.items():
            entered = self.run.batch.tensors.get(place[1])
            if training and entered is not None:
                self.look(place, tensor, entered.detach())


def in_place_of(tensor: Any, new: Any) -> Any:
    """The new values in the form of the tensor they stand for; gradients for it still reach it."""
    made = torch.empty_like(tensor, requires_grad=False)
    made.copy_(new)
    if tensor.requires_grad and tensor.is_floating_point():
        return tensor + (made - tensor).detach()
    return made
