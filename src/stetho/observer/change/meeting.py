"""Where labels meet the model's output: in a loss of torch's, or in plain operations between model and backward."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Mapping

import torch
from torch.overrides import TorchFunctionMode

from .. import guard
from ..guard import guarded
from ..tensors import tensors_in
from ..unseen import transformed
from .moments import LossCall
from .roles import Met, compared, role

if TYPE_CHECKING:
    from .run import Run

# What reads an attribute of a tensor, or says something of it, is no meeting.
READS = ("__get__", "__set__", "__repr__", "__format__", "__len__", "size", "dim", "stride", "numel", "requires_grad_")


class Meetings:
    """Hands every label to the change, once for each place where it meets what the model made."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.mode: Mode | None = None
        self.stale: Mode | None = None
        self.made: dict[int, weakref.ref[Any]] = {}
        """Tensors without gradients that were computed from the model's output: these are no labels."""
        self.following = False
        self.number = 0
        """Meetings since the model was last called for training."""
        self.met = Met()
        self.plain = False
        """Whether the meeting under way is in a plain operation, where a label is told by what is done with it."""

    def begin(self, output: Any) -> None:
        """The model has been called for training: follow what is made of its output."""
        self.number = 0
        self.made = {}
        outputs = list(tensors_in(output))
        self.met = Met({tensor.numel() for tensor in outputs})
        for tensor in outputs:
            self.note(tensor)
        self.following = True
        self.go_on()

    @property
    def wanted(self) -> bool:
        return self.run.wants("target", "beside", "compared")

    def go_on(self) -> None:
        """Put the mode on, above none of the program's own."""
        self.clear()
        if not (self.following or self.run.taught.known) or self.mode is not None or not self.wanted or guard.off:
            return
        depth = torch.overrides._len_torch_function_stack()
        ours = self.run.watch.tracer.mode
        if depth == 0 or (depth == 1 and ours is not None and torch.overrides._get_current_function_mode() is ours):
            self.mode = Mode(self)
            self.mode.__enter__()
        else:
            self.run.refused("the program runs its loss under a mode of its own")

    def over(self) -> None:
        """Backward or another call of the model begins."""
        self.following = False
        self.met.labels = []
        self.lift()

    def lift(self) -> None:
        """Take the mode off; while torch runs a function for it, it cannot be, and stays for a while doing nothing."""
        self.clear()
        mode, self.mode = self.mode, None
        if mode is not None:
            self.stale = mode
            self.clear()

    def clear(self) -> None:
        """Take off a mode that was left, once it is on top; below one of the program's it never is."""
        if self.stale is not None and torch.overrides._get_current_function_mode() is self.stale:
            self.stale.__exit__(None, None, None)
            self.stale = None

    def at_loss(self, call: LossCall) -> None:
        """A loss of torch's is called: its target is a label."""
        self.lift()
        target = call.target
        if call.name == "log_softmax" or not call.trained or not isinstance(target, torch.Tensor):
            return
        self.run.batch.target_seen(target)
        if self.run.wants("target"):
            call.set("target", self.changed(target, call.input))

    def changed(self, target: Any, met: Any) -> Any:
        """The label as the change leaves it."""
        self.met.labels.append(target)
        for function in self.run.calls.get("target", ()):
            given = function(target, met)
            target = target if given is None else given
        self.number += 1
        return target

    def beside(self, tensor: Any, met: Any, what: str) -> Any:
        """What meets the output and is no label, as the change leaves it."""
        for function in self.run.calls.get("beside", ()):
            given = function(tensor, met, what)
            tensor = tensor if given is None else given
        self.number += 1
        return tensor

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.over()
        self.made, self.met = {}, Met()

    def note(self, tensor: Any) -> None:
        self.made[id(tensor)] = weakref.ref(tensor)

    def from_model(self, tensor: Any) -> bool:
        """Whether a tensor was computed from the model's output."""
        known = self.made.get(id(tensor))
        return tensor.requires_grad or (known is not None and known() is tensor)

    @guarded
    def operation(self, name: str, args: Any, kwargs: Mapping[str, Any]) -> tuple[Any, Any, bool] | None:
        """An operation between model and backward, with its labels changed, and whether its result is the model's."""
        if name in READS or not self.following:
            return None
        tensors = list(tensors_in((args, kwargs)))
        met = next((t for t in tensors if self.from_model(t)), None)
        if met is None:
            return None
        if met.requires_grad:
            self.plain = True
            try:
                args, kwargs = self._replaced(args, met, name), self._replaced(kwargs, met, name)
            finally:
                self.plain = False
        return args, kwargs, True

    def _replaced(self, value: Any, met: Any, name: str) -> Any:
        if isinstance(value, torch.Tensor):
            what = "" if self.from_model(value) else role(self.run.batch, self.met, value, met, name)
            if not what:
                return value
            return self.changed(value, met) if what == "label" else self.beside(value, met, what)
        if type(value) in (list, tuple):
            return type(value)(self._replaced(item, met, name) for item in value)
        if type(value) is dict:
            return {key: self._replaced(item, met, name) for key, item in value.items()}
        return value

    @guarded
    def result(self, name: str, given: Any, out: Any) -> None:
        """What an operation has made of the model's output."""
        for tensor in tensors_in(out):
            if not tensor.requires_grad:
                self.note(tensor)
        if self.run.wants("compared") and compared(self.run.batch.size, name, list(tensors_in(given)), out):
            self.run.fire("compared")

    @guarded
    def follow(self, name: str, args: Any, kwargs: Any, out: Any) -> None:
        """What an operation has made of something that was made without gradients."""
        if self.run.taught.known:
            self.run.taught.follow(name, args, kwargs, out)


class Mode(TorchFunctionMode):  # type: ignore[misc]
    """Runs each function of torch's with the labels that the change wants."""

    def __init__(self, meetings: Meetings) -> None:
        super().__init__()
        self.meetings = meetings

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        mine = self.meetings
        if mine.mode is not self or guard.away() or transformed():
            return func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        changed = mine.operation(name, args, kwargs)
        if changed is not None:
            args, kwargs, _ = changed
        out = func(*args, **kwargs)
        if changed is not None:
            mine.result(name, (args, kwargs), out)
        mine.follow(name, args, kwargs, out)
        return out
