"""Calls made for the program in the place of its own, which look in warnings and traces as if it had made them."""

from __future__ import annotations

from types import CodeType, FrameType, FunctionType
from typing import Any, Callable

from torch.overrides import handle_torch_function

from .sites import DISGUISE

# More places than a program calls torch from; past them all are made anew.
MOST = 4096

_codes: dict[tuple[str, int], CodeType] = {}


_HANDLER = handle_torch_function.__code__
# Its one statement stands on the line that the code object says is its first.
_PLAIN = (lambda func, args, kwargs: func(*args, **kwargs)).__code__.replace(co_consts=DISGUISE)


def from_caller(frame: FrameType) -> Callable[[Any, Any, Any], Any]:
    """What calls a function as if from the line at which this frame is.

    Torch and Python name the line that calls in what they warn of, and count there what was warned of already.
    """
    if frame.f_code is _HANDLER and frame.f_back is not None and frame.f_back.f_back is not None:
        # Functions written in Python ask for modes themselves, and are called a second time.
        frame = frame.f_back.f_back
    key = frame.f_code.co_filename, frame.f_lineno
    code = _codes.get(key)
    if code is None:
        if len(_codes) >= MOST:
            _codes.clear()
        code = _PLAIN.replace(co_filename=key[0], co_firstlineno=key[1], co_name=frame.f_code.co_name)
        _codes[key] = code
    return FunctionType(code, frame.f_globals)
