"""Calls made for the program in the place of its own, which look in warnings and traces as if it had made them."""

from __future__ import annotations

import inspect
import os
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any, Callable

import torch
from torch.overrides import handle_torch_function

from .sites import DISGUISE

# More places than a program calls torch from; past them all are made anew.
MOST = 4096

_codes: dict[tuple[str, int], CodeType] = {}

# Where torch's own functions are written, and the kinds of those that are not written in Python.
FOLDER = os.path.dirname(torch.__file__) + os.sep
NATIVE = (BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType)
# Functions of torch's that are written in Python ask for modes through this one, and are called a second time.
HANDLER = handle_torch_function.__code__
# Its one statement stands on the line that the code object says is its first.
_PLAIN = (lambda func, args, kwargs: func(*args, **kwargs)).__code__.replace(co_consts=DISGUISE)


def from_caller(frame: FrameType) -> Callable[[Any, Any, Any], Any]:
    """What calls a function as if from the line at which this frame is.

    Torch and Python name the line that calls in what they warn of, and count there what was warned of already.
    """
    if frame.f_code is HANDLER and frame.f_back is not None and frame.f_back.f_back is not None:
        frame = frame.f_back.f_back
    key = frame.f_code.co_filename, frame.f_lineno
    code = _codes.get(key)
    if code is None:
        if len(_codes) >= MOST:
            _codes.clear()
        code = _PLAIN.replace(co_filename=key[0], co_firstlineno=key[1], co_name=frame.f_code.co_name)
        _codes[key] = code
    return FunctionType(code, frame.f_globals)


def replaced(func: Any) -> bool:
    """Whether what a function of torch's names as itself is what the program has put in its place."""
    code = getattr(func, "__code__", None)
    if code is None:
        return not isinstance(func, NATIVE)
    return not code.co_filename.startswith(FOLDER)


def asking(frame: Any) -> tuple[Any, list[Any], dict[str, Any]]:
    """The function that runs in a frame and has done nothing yet, to be called with what it was called with."""
    code, values = frame.f_code, frame.f_locals
    names, count = code.co_varnames, code.co_argcount + code.co_kwonlyargcount
    args = [values[name] for name in names[: code.co_argcount]]
    kwargs = {name: values[name] for name in names[code.co_argcount : count]}
    if code.co_flags & inspect.CO_VARARGS:
        args += values[names[count]]
        count += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(values[names[count]])
    cells = tuple(CellType(values[name]) for name in code.co_freevars)
    return FunctionType(code, frame.f_globals, code.co_name, None, cells), args, kwargs
