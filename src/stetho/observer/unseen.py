"""Out of the program's sight: what the observer computes is recorded in no graph and shown to no mode of the program's.

The contexts are torch's own, written in C: where one of Python's ends, a signal handler may run and raise, and a
program would go on with its gradients switched off.
"""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Any

import torch
from torch import _C

# Before 2.3 the public question was not there; what stands in for it is the one that torch's own optimizers ask.
_compiler: Any = getattr(torch, "compiler", None)
is_compiling: Any = getattr(_compiler, "is_compiling", None) or getattr(torch._utils, "is_compiling", bool)
# Nothing that is computed inside becomes part of a graph; like `no_grad`, and three times as fast.
unrecorded: Any = _C._AutoDispatchBelowAutograd
modes = _C._len_torch_dispatch_stack
_transforms: Any = getattr(getattr(_C, "_functorch", None), "peek_interpreter_stack", lambda: None)
_is_tracing: Any = getattr(_C, "_is_tracing", lambda: False)
_kinds: Any = getattr(_C, "_TorchDispatchModeKey", None)
# Where torch cannot take its cover off again for the replay, which looks at operations itself, there is none.
uncovered: Any = getattr(_C, "_EnableTorchFunction", contextlib.nullcontext)
# A context in which operations are shown to no function mode and no tensor class of the program's.
cover: Any = _C.DisableTorchFunction if hasattr(_C, "_EnableTorchFunction") else contextlib.nullcontext
# Modes under which tensors have no values: they are there to be followed, not to be computed with.
_HOLLOW = [getattr(_kinds, name) for name in ("FAKE", "PROXY", "FUNCTIONAL") if hasattr(_kinds, name)]


def hollow() -> bool:
    """Whether a compiler, or a mode of one, runs the program for its shapes and operations instead of its values."""
    return is_compiling() or (modes() > 0 and any(_C._get_dispatch_mode(kind) is not None for kind in _HOLLOW))


def in_transform() -> bool:
    """Whether values stand for many at once, as under `vmap`."""
    return _transforms() is not None


def transformed() -> bool:
    """Whether that is so, or every operation is noted, as under `jit.trace`."""
    return in_transform() or _is_tracing()


class Deeper:
    """The same, and also below the dispatcher, where a mode of the program's counts or prints what is computed."""

    def __init__(self) -> None:
        self.inside = (cover(), _C._DisableTorchDispatch())

    def __enter__(self) -> None:
        for context in self.inside:
            context.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for context in reversed(self.inside):
            context.__exit__(kind, error, at)
