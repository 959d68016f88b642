"""The mode under which torch shows every function that it runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..disguise import HANDLER, asking, from_caller, replaced
from ..guard import away
from ..unseen import transformed, unrecorded

if TYPE_CHECKING:
    from .trace import Tracer

ASSIGNMENT = torch.Tensor.__setitem__
# Functions that write to their first argument.
IN_PLACE = frozenset(
    getattr(torch.Tensor, name)
    for name in dir(torch.Tensor)
    if (name.endswith("_") and not name.startswith("_") and name not in ("requires_grad_", "detach_", "share_memory_"))
    or name in ("__setitem__", "__ipow__", "__itruediv__", "__ifloordiv__", "__imod__")
)


class Mode(TorchFunctionMode):  # type: ignore[misc]
    """Runs each torch function unchanged and shows the tracer what it was given and what it made."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        frame = sys._getframe(1)
        if frame.f_code is HANDLER and replaced(func):
            func, args, kwargs = asking(frame.f_back)
        tracer = self.tracer
        before = tracer.overwriting(args[0]) if tracer.keeping and func in IN_PLACE else None
        out = from_caller(frame)(func, args, kwargs)
        if away() or transformed():
            return out
        if tracer.looking:
            # Without this, what is computed here would be saved for backward, and activation checkpointing counts that.
            with unrecorded():
                tracer.saw(func, args, kwargs, out)
        if tracer.keeping:
            if isinstance(out, torch.Tensor):
                tracer.keep(func, args, kwargs, out, before)
            elif func is ASSIGNMENT:
                tracer.keep(func, args, kwargs, args[0], before)
        return out
