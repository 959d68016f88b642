"""What is kept of the step under way: calls of models, operations and losses, as references to what they worked on."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Iterator

import torch

from ..tensors import tensors_in

# Since 2.4 the questions about autocast name the device.
DEVICES = hasattr(torch, "get_autocast_dtype")
autocasting: Any = functools.partial(torch.is_autocast_enabled, "cpu") if DEVICES else torch.is_autocast_cpu_enabled


class Call:
    """One call of a whole model."""

    __slots__ = ("amp", "args", "at", "grad", "kwargs", "module", "out", "random", "settled", "versions")

    def __init__(self, module: Any, args: Any, kwargs: Any, amp: Any, at: list[Any], random: Any) -> None:
        self.module = module
        self.grad = torch.is_grad_enabled()
        self.args = args
        self.kwargs = kwargs
        self.random = random
        self.versions = versions(args, kwargs)
        self.amp = amp
        self.at = at
        self.out: Any = None
        self.settled = False


class Operation:
    """One operation outside the models that took part in the loss."""

    __slots__ = ("amp", "args", "at", "before", "function", "grad", "kwargs", "out", "settled")

    def __init__(self, function: Any, args: Any, kwargs: Any, out: Any, at: int, amp: Any, before: Any = None) -> None:
        self.function = function
        self.grad = torch.is_grad_enabled()
        self.args = args
        self.kwargs = kwargs
        self.out = out
        self.at = at
        self.amp = amp
        self.before = before  # what it wrote to, as it was
        self.settled = False

    def target(self) -> Any:
        """What it wrote to, if it worked in place."""
        return self.out if any(t is self.out for t in everything_in((self.args, self.kwargs))) else None


class Backward:
    """The end of one forward pass: what backward is called on."""

    __slots__ = ("loss", "settled", "value")

    def __init__(self, loss: Any, value: float) -> None:
        self.loss = loss
        self.value = value
        self.settled = False


class Past:
    """A tensor of an earlier pass: its value without the graph, and the tensor itself while the program has it."""

    __slots__ = ("reference", "value")

    def __init__(self, tensor: Any) -> None:
        self.reference = weakref.ref(tensor)
        self.value = tensor.detach()


def versions(args: Any, kwargs: Any) -> list[tuple[Any, int]]:
    """Tensors with their count of changes in place; the usual call, of one tensor, without a detour."""
    if len(args) == 1 and not kwargs and isinstance(args[0], torch.Tensor):
        return [(args[0], version(args[0]))]
    return [(t, version(t)) for t in tensors_in((args, kwargs))]


def version(tensor: Any) -> int:
    """How often a tensor was changed in place; one made for inference alone does not count that."""
    return -1 if tensor.is_inference() else int(tensor._version)


def casting() -> Any:
    """The state of autocast on this machine's processor: the type, or None when it is off."""
    if not autocasting():
        return None
    return torch.get_autocast_dtype("cpu") if DEVICES else torch.get_autocast_cpu_dtype()


def everything_in(value: Any) -> Iterator[Any]:
    """Tensors of a result in a fixed order, also those of an earlier pass and those held by objects with fields."""
    if isinstance(value, (torch.Tensor, Past)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from everything_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from everything_in(item)
    elif hasattr(value, "__dict__") and not isinstance(value, torch.nn.Module):
        for item in vars(value).values():
            if isinstance(item, (torch.Tensor, list, tuple)):
                yield from everything_in(item)
