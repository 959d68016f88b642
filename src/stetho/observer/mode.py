"""The mode under which torch shows every function that it runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from .disguise import from_caller
from .guard import away
from .unseen import transformed, unrecorded

if TYPE_CHECKING:
    from .trace import Tracer


class Mode(TorchFunctionMode):  # type: ignore[misc]
    """Runs each torch function unchanged and shows the tracer what it was given and what it made."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = from_caller(sys._getframe(1))(func, args, kwargs or {})
        tracer = self.tracer
        if away() or transformed():
            return out
        if tracer.looking:
            # Without this, what is computed here would be saved for backward, and activation checkpointing counts that.
            with unrecorded():
                tracer.saw(func, args, kwargs or {}, out)
        if tracer.keeping and isinstance(out, torch.Tensor):
            tracer.keep(func, args, kwargs or {}, out)
        return out
