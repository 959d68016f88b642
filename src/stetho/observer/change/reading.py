"""Which tensors of a call a model really computes with: a batch that is handed over whole holds its labels, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import torch
from torch.overrides import TorchFunctionMode

from .. import guard
from ..tensors import tensors_in

if TYPE_CHECKING:
    from .run import Run

# Calls of each model that are looked into.
CALLS = 8
# What only says something of a tensor does not compute with it.
SAYS = ("__repr__", "__format__", "__len__", "size", "dim", "stride", "numel")


class Reading:
    """Looks into the first calls of each model that is given several tensors."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.calls: dict[int, int] = {}
        self.there: dict[int, set[Any]] = {}
        """For each model the places that were looked at."""
        self.read: dict[int, set[Any]] = {}
        """Those of them that it has computed with."""
        self.mode: Mode | None = None
        self.failed: Exception | None = None
        """An error of a look: while torch runs a function for the mode, the mode cannot be taken off, so it waits."""

    def begin(self, model: int, tensors: Mapping[Any, Any]) -> None:
        """A model is about to be called with these."""
        self.end()
        if len(tensors) < 2 or self.calls.get(model, 0) >= CALLS or not self.free():
            return
        self.calls[model] = self.calls.get(model, 0) + 1
        self.there.setdefault(model, set()).update(tensors)
        self.mode = Mode(self, self.read.setdefault(model, set()), {id(t): path for path, t in tensors.items()})
        self.mode.__enter__()

    def free(self) -> bool:
        """Whether a mode can be put on here, and nothing else is put on or taken off before it."""
        tracer = self.run.watch.tracer
        if guard.off or self.run.compiles or not self.run.wants("target", "beside"):
            return False
        depth = torch.overrides._len_torch_function_stack()
        if depth == 0:
            return tracer.mode is None and not tracer.plain
        return bool(depth == 1 and tracer.looking and torch.overrides._get_current_function_mode() is tracer.mode)

    def end(self) -> None:
        """The model has returned."""
        mode, self.mode = self.mode, None
        if mode is not None and torch.overrides._get_current_function_mode() is mode:
            mode.__exit__(None, None, None)
        failed, self.failed = self.failed, None
        if failed is not None:
            raise failed

    def unread(self, model: int, path: Any) -> bool:
        """Whether a model was seen to do without a tensor; nothing is known of what a compiler hides."""
        read = self.read.get(model)
        if not read or self.run.compiles:
            return False
        return path in self.there[model] and path not in read


class Mode(TorchFunctionMode):  # type: ignore[misc]
    """Notes each tensor of the call that a function of torch's is given."""

    def __init__(self, reading: Reading, read: set[Any], paths: dict[int, Any]) -> None:
        super().__init__()
        self.reading, self.read, self.paths = reading, read, paths

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if self.reading.mode is self and self.reading.failed is None and not guard.away():
            try:
                self.note(getattr(func, "__name__", ""), args, kwargs, out)
            except Exception as error:
                if guard.from_signal(error):
                    raise
                self.reading.failed = error
        return out

    def note(self, name: str, args: Any, kwargs: Any, out: Any) -> None:
        # A transposed tensor is read like an attribute; a shape is one.
        if name in SAYS or (name == "__get__" and not isinstance(out, torch.Tensor)):
            return
        self.read.update(self.paths[id(t)] for t in tensors_in((args, kwargs)) if id(t) in self.paths)
