"""The moments at which a change can be made: calls of losses, of patched functions, of closures."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import torch

from .. import guard
from ..guard import guarded
from ..unseen import is_compiling

if TYPE_CHECKING:
    from .run import Run

F = TypeVar("F", bound=Callable[..., Any])


@functools.lru_cache(maxsize=None)
def parameters_of(name: str) -> tuple[str, ...]:
    """The names of a loss's arguments in their order."""
    if name == "log_softmax":
        return ("input", "dim", "_stacklevel", "dtype")
    return tuple(inspect.signature(getattr(torch.nn.functional, name)).parameters)


class LossCall:
    """One call of a loss of torch's, whose arguments can be read and set by name however they were passed."""

    def __init__(self, name: str, args: Any, kwargs: dict[str, Any]) -> None:
        self.name = name
        self.args = list(args)
        self.kwargs = dict(kwargs)

    def get(self, name: str, default: Any = None) -> Any:
        """An argument, or the default where the program leaves it to torch."""
        names = parameters_of(self.name)
        at = names.index(name) if name in names else len(self.args)
        return self.args[at] if at < len(self.args) else self.kwargs.get(name, default)

    def set(self, name: str, value: Any) -> None:
        """Change an argument where it stands, or add it by name."""
        names = parameters_of(self.name)
        at = names.index(name) if name in names else len(self.args)
        if at < len(self.args):
            self.args[at] = value
        else:
            self.kwargs[name] = value

    @property
    def input(self) -> Any:
        return self.get("input", self.kwargs.get("self"))

    @property
    def target(self) -> Any:
        return None if self.name == "log_softmax" else self.get("target")

    @property
    def trained(self) -> bool:
        """Whether gradients go through it: it is no evaluation."""
        return isinstance(self.input, torch.Tensor) and self.input.requires_grad


def before(run: Run, owner: Any, name: str, function: Callable[..., Any]) -> None:
    """Let a change see, and change, the arguments of each call of a function; its errors stay its own."""
    original = getattr(owner, name)
    asked = guarded(function)

    @functools.wraps(original)
    def changed(*args: Any, **kwargs: Any) -> Any:
        if not is_compiling():
            given = asked(args, kwargs)
            if given is not None:
                args, kwargs = given
        return original(*args, **kwargs)

    run.watch.patches.replace(owner, name, changed)


def instead(run: Run, owner: Any, name: str, function: Callable[..., Any]) -> None:
    """Put a change in place of a function of torch's or Python's; it is given the original to call, or not."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        if guard.off or is_compiling():
            return original(*args, **kwargs)
        return function(original, *args, **kwargs)

    run.watch.patches.replace(owner, name, replaced)


def around_step(optimizer: Any, begins: Callable[..., Any], ended: Callable[..., Any]) -> None:
    """Let a change act on one optimizer inside of everything that is measured of its steps."""
    first, last = guarded(begins), guarded(ended)

    def before_it(optimizer: Any, args: Any, kwargs: Any) -> None:
        first(optimizer)

    def after_it(optimizer: Any, args: Any, kwargs: Any) -> None:
        last(optimizer)

    optimizer.register_step_pre_hook(before_it)
    optimizer.register_step_post_hook(after_it)


def gradients_come(run: Run, optimizer: Any, args: Any, kwargs: Any) -> Any:
    """Tell that the gradients are there: now, or when the closure that makes them has returned."""
    if not run.wants("gradients"):
        return None
    closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
    if closure is None:
        run.fire("gradients", optimizer)
        return None
    tell = guarded(run.fire)

    @functools.wraps(closure)
    def followed(*given: Any, **named: Any) -> Any:
        loss = closure(*given, **named)
        tell("gradients", optimizer)
        return loss

    if "closure" in kwargs:
        return args, {**kwargs, "closure": followed}
    return (args[0], followed, *args[2:]), kwargs
