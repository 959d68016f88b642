"""Every operation of the replay in its order, with what it was given, what it made, its line and its module."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Iterator, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from .. import sites
from ..tensors import tensors_in
from .bundle import LARGEST
from .kept import casting, everything_in, version
from .nonfinite import numbers, state

# Where a node of the replay's graph keeps its operation; the close look at the real step has a key of its own.
KEY = "stetho-replay"
# Functions that read or describe and compute nothing.
SILENT = ("__set__", "requires_grad_", "size", "dim", "numel", "stride", "is_floating_point", "backward")
# Functions with two arguments, after the first, that they write to when they train.
NORMS = ("batch_norm", "instance_norm")
DIVISIONS = ("div", "true_divide", "divide", "truediv", "rtruediv", "itruediv", "rdiv")


class Source(NamedTuple):
    """A tensor as an operation found it: what had made it, and whether it held a NaN or an infinity."""

    tensor: Any
    version: int
    maker: Seen | None
    nan: bool
    inf: bool


class Seen:
    """One operation of the replay, with what it was given and what it made."""

    def __init__(self, function: Any, args: Any, kwargs: Any, out: Any, frames: list[Any], module: str | None) -> None:
        # A state of the random generator instead of an operation, where a model begins.
        self.random: Any = None
        self.told: dict[str, Any] | None = None
        self.sources: list[Source] = []
        self.spoiled = self.wrote = False
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
        """The numbers it computed with."""
        return [t for t in tensors_in((self.args, self.kwargs)) if t.is_floating_point()]

    def spoils(self) -> bool:
        """Whether it made non-finite numbers out of finite ones."""
        return self.spoiled and not any(s.nan or s.inf for s in self.sources)


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
        sources = self.tape.sources(name, args, kwargs)
        told = overwritten(name, args) if name.endswith("_") else None
        out = func(*args, **kwargs)
        if name != "__get__" or isinstance(out, torch.Tensor):
            self.tape.note(func, args, kwargs, out, sources)
            if told is not None:
                self.tape.seen[-1].told = told
        return out


class Tape:
    """The operations that were seen, and which of them made which tensor."""

    def __init__(self, made: dict[int, Any]) -> None:
        self.made = made  # the lines that built modules
        self.seen: list[Seen] = []
        self.known: dict[int, Source] = {}
        # The last operation in place that left a piece of memory, which views share, not finite.
        self.spoilers: dict[int, Seen] = {}
        self.alive: list[Any] = []  # keeps ids from being used twice
        self.leaves: dict[int, Any] = {}  # tensors that no operation made, as they were when first met
        self.copied = 0
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

    def sources(self, name: str, args: Any, kwargs: Any) -> list[Source]:
        """The inputs of an operation about to run; those that no operation made are copied, as it may change them."""
        found = [self.source(t) for t in everything_in((args, kwargs))]
        for source in found:
            if source.maker is None:
                self.copy(source.tensor)
        if name in NORMS and (args[5] if len(args) > 5 else kwargs.get("training", kwargs.get("use_input_stats"))):
            # Running statistics are written here, not read; the real step has written to them already.
            running = (*args[1:3], kwargs.get("running_mean"), kwargs.get("running_var"))
            found = [s for s in found if not any(s.tensor is r for r in running)]
        return found

    def source(self, tensor: Any) -> Source:
        """A tensor as it is now."""
        count = version(tensor)
        known = self.known.get(id(tensor))
        if known is not None and known.version == count:
            return known
        maker = None if known is None else known.maker
        if known is not None:
            # Changed since, by way of a view of it.
            maker = self.spoilers.get(memory(tensor), maker)
        self.alive.append(tensor)
        self.known[id(tensor)] = Source(tensor, count, maker, *state(tensor))
        return self.known[id(tensor)]

    def copy(self, tensor: Any) -> None:
        """Keep what a tensor held before the step, for as long as all of them together are not too large."""
        if id(tensor) in self.leaves or self.copied > LARGEST:
            return
        self.copied += tensor.numel() * tensor.element_size()
        if self.copied > LARGEST:
            self.leaves = {}
            return
        with torch._C.DisableTorchFunction(), torch.no_grad():
            self.leaves[id(tensor)] = tensor.detach().clone().requires_grad_(tensor.requires_grad)

    def note(self, function: Any, args: Any, kwargs: Any, out: Any, sources: list[Source]) -> None:
        """Write one operation down, and itself on the graph."""
        frames = self.at if self.at is not None else self.frames()
        seen = Seen(function, args, kwargs, out, frames, self.module_path())
        seen.sources = sources
        self.seen.append(seen)
        self.alive.append(out)
        written = [s.tensor for s in sources if version(s.tensor) != s.version]
        seen.wrote = bool(written)
        for tensor in (*everything_in(out), *written):
            made = Source(tensor, version(tensor), seen, *state(tensor))
            self.known[id(tensor)] = made
            seen.spoiled = seen.spoiled or made.nan or made.inf
            node = tensor.grad_fn
            if node is not None and KEY not in node.metadata:
                node.metadata[KEY] = seen
        if seen.spoiled:
            self.spoilers.update((memory(tensor), seen) for tensor in written)

    def maker(self, tensor: Any) -> Seen | None:
        """The operation that made a tensor."""
        known = self.known.get(id(tensor))
        return None if known is None else known.maker

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

    def first_bad(self, start: int) -> Seen | None:
        """The first operation, of those seen since, that made non-finite numbers out of finite ones."""
        return next((seen for seen in self.seen[start:] if seen.spoils()), None)


def memory(tensor: Any) -> int:
    """Where the memory of a tensor lies, which it shares with its views; nowhere for one that has none."""
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (NotImplementedError, RuntimeError):
        return 0


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
        sources, count = tape.sources(cls.__name__, args, kwargs), len(tape.seen)
        out = original.__func__(cls, *args, **kwargs)
        inner = tape.first_bad(count)
        tape.note(cls, args, kwargs, out, sources)
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
