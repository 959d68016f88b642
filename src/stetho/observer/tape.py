"""Every operation of the replay in its order, with what it was given, what it made, its line and its module."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Iterator

import torch
from torch.overrides import TorchFunctionMode

from . import sites
from .kept import casting, everything_in, version
from .nonfinite import numbers, state
from .tensors import tensors_in

# Where a node of the replay's graph keeps its operation; the close look at the real step has a key of its own.
KEY = "stetho-replay"
# Functions that read or describe and compute nothing.
SILENT = ("__set__", "requires_grad_", "size", "dim", "numel", "stride", "is_floating_point", "backward")
DIVISIONS = ("div", "true_divide", "divide", "truediv", "rtruediv", "itruediv", "rdiv")


class Seen:
    """One operation of the replay, with what it was given and what it made."""

    def __init__(self, function: Any, args: Any, kwargs: Any, out: Any, frames: list[Any], module: str | None) -> None:
        # A state of the random generator instead of an operation, where a model begins.
        self.random: Any = None
        self.told: dict[str, Any] | None = None
        self.given = (args, kwargs)
        self.grad = torch.is_grad_enabled()
        self.amp = casting()
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.out = out
        self.frames = frames
        self.module = module
        self.name = str(getattr(function, "__name__", function))

    def inputs(self) -> list[Any]:
        """The tensors it computed with."""
        return [t for t in tensors_in((self.args, self.kwargs)) if t.is_floating_point()]


class Writing(TorchFunctionMode):  # type: ignore[misc]
    """Writes every operation on the tape, with a copy of what operations in place overwrite."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tape = tape

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = str(getattr(func, "__name__", ""))
        if name in SILENT:
            return func(*args, **kwargs)
        before = self.tape.state_of((args, kwargs))
        told = overwritten(name, args) if name.endswith("_") else None
        out = func(*args, **kwargs)
        if name != "__get__" or isinstance(out, torch.Tensor):
            self.tape.note(func, args, kwargs, out, before)
            if told is not None:
                self.tape.seen[-1].told = told
        return out


class Tape:
    """The operations that were seen, and which of them made which tensor."""

    def __init__(self, made: dict[int, Any]) -> None:
        self.made = made  # the lines that built modules
        self.seen: list[Seen] = []
        self.maker: dict[int, Seen] = {}
        self.alive: list[Any] = []  # keeps ids from being used twice
        self.bad: dict[int, tuple[bool, bool]] = {}
        self.leaves: dict[int, Any] = {}  # tensors that no operation made, as they were when first met
        self.at: list[Any] | None = None
        self.called_at: list[Any] = []
        self.running: list[Any] = []
        self.paths: dict[int, str] = {}

    @contextlib.contextmanager
    def attached(self) -> Iterator[None]:
        """See also what the mode alone would miss: modules that run, and gradients written by hand."""
        with custom_functions(self), module_stack(self):
            yield

    def drawn(self, random: Any) -> None:
        """A model begins with this state of the random generator."""
        state = Seen(None, (), {}, None, [], None)
        state.random = random
        self.seen.append(state)

    def call(self, module: Any, args: Any, kwargs: Any, at: list[Any]) -> Any:
        """Call a model; beyond this frame the stack is that of the line which set the replay off."""
        self.at, self.called_at = None, list(at)
        return module(*args, **kwargs)

    def state_of(self, given: Any) -> list[tuple[Any, int]]:
        """The inputs of an operation about to run; those that no operation made are copied, as it may change them."""
        found = [(t, version(t)) for t in everything_in(given)]
        for tensor, _ in found:
            if id(tensor) not in self.maker and id(tensor) not in self.leaves:
                with torch._C.DisableTorchFunction(), torch.no_grad():
                    self.leaves[id(tensor)] = tensor.detach().clone().requires_grad_(tensor.requires_grad)
                self.alive.append(tensor)
        return found

    def note(self, function: Any, args: Any, kwargs: Any, out: Any, before: list[tuple[Any, int]]) -> None:
        """Write one operation down, and itself on the graph."""
        frames = self.at if self.at is not None else self.frames()
        seen = Seen(function, args, kwargs, out, frames, self.module_path())
        self.seen.append(seen)
        self.alive.append(out)
        for tensor in everything_in(out):
            if tensor.is_floating_point() or tensor.is_complex():
                self.bad[id(tensor)] = state(tensor)
            if any(t is tensor and version(t) != v for t, v in before) and id(tensor) in self.maker:
                # In place: what it held before is what the maker of that made.
                seen.args = tuple(a for a in args if a is not tensor)
            self.maker[id(tensor)] = seen
            node = tensor.grad_fn
            if node is not None and KEY not in node.metadata:
                node.metadata[KEY] = seen

    def frames(self) -> list[Any]:
        """The user's frames, and after them the line that built the layer when a library layer does the work."""
        found: list[Any] = []
        frame: Any = sys._getframe(3)
        while frame is not None and frame.f_code is not Tape.call.__code__ and len(found) < 5:
            if sites.user_file(frame.f_code.co_filename) is not None:
                found.append(frame)
            frame = frame.f_back
        made = self.made.get(id(self.running[-1])) if self.running else None
        inside = sites.places(found)
        library = bool(self.running) and type(self.running[-1]).__module__.startswith("torch.nn.")
        return inside + self.called_at + ([made] if made and library else [])

    def module_path(self) -> str | None:
        """The innermost module that is running, by its path in the model."""
        if not self.running:
            return None
        root, module = self.running[0], self.running[-1]
        if id(module) not in self.paths:
            for path, part in root.named_modules():
                self.paths[id(part)] = path or type(root).__name__
        return self.paths.get(id(module), type(module).__name__)

    def state(self, tensor: Any) -> tuple[bool, bool]:
        """Whether a tensor holds a NaN, and whether it holds an infinity, as it was when it was made."""
        found = self.bad.get(id(tensor))
        return state(tensor) if found is None else found

    def first_bad(self, start: int) -> Seen | None:
        """The first operation, of those seen since, that made non-finite numbers out of finite ones."""
        for seen in self.seen[start:]:
            spoiled = any(any(self.state(t)) for t in everything_in(seen.out) if t.is_floating_point())
            if spoiled and not any(any(self.state(t)) for t in seen.inputs()):
                return seen
        return None


def overwritten(name: str, args: Any) -> dict[str, Any] | None:
    """What an operation in place is about to overwrite, in numbers."""
    inputs = [t for t in everything_in(args) if t.is_floating_point()]
    if not inputs:
        return None
    with torch._C.DisableTorchFunction(), torch.no_grad():
        divides = name.strip("_") in DIVISIONS and len(inputs) > 1
        return {**numbers(inputs[0]), "divisor_zeros": int((inputs[1] == 0).sum()) if divides else 0}


@contextlib.contextmanager
def custom_functions(tape: Tape) -> Iterator[None]:
    """Gradients written by hand are seen as one operation each, which the mode alone would miss."""
    original = torch.autograd.Function.__dict__["apply"]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        before, count = tape.state_of((args, kwargs)), len(tape.seen)
        out = original.__func__(cls, *args, **kwargs)
        inner = tape.first_bad(count)
        tape.note(cls, args, kwargs, out, before)
        if inner is not None and inner.frames:
            # The line inside it that went wrong says more than the line that called it.
            tape.seen[-1].frames = inner.frames
            tape.seen[-1].name = inner.name
        return out

    torch.autograd.Function.apply = classmethod(apply)
    try:
        yield
    finally:
        torch.autograd.Function.apply = original


@contextlib.contextmanager
def module_stack(tape: Tape) -> Iterator[None]:
    """The modules that run, innermost last; the twin needs no hooks, it may replace the call itself."""
    original = torch.nn.Module.__call__

    def call(module: Any, *args: Any, **kwargs: Any) -> Any:
        tape.running.append(module)
        try:
            return original(module, *args, **kwargs)
        finally:
            tape.running.pop()

    torch.nn.Module.__call__ = call
    try:
        yield
    finally:
        torch.nn.Module.__call__ = original
